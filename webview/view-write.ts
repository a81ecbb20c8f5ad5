/** The bar at the foot of the page: what would be written, and the button that starts it. */
import { button } from './components.ts';
import { type Described, h } from './dom.ts';
import type { Texts, View } from './page-state.ts';

export function writeBar(view: View, { t, number }: Texts): Described {
  const { state, page, send } = view;
  const { detail, mode } = state;
  const form = detail?.forms.find((one) => one.form === mode);
  const obstacle = obstacleOf(view);
  return h(
    'footer',
    { key: 'write', class: 'write-bar' },
    h(
      'p',
      {},
      h('strong', {}, t(`form.${mode}`)),
      h(
        'span',
        { class: 'quiet' },
        ` · ${t('write.total', number(form?.toFirstCall.tokens ?? 0), detail?.tokenizer ?? '')}`,
      ),
    ),
    h('p', { class: 'obstacle', attributes: { id: 'write-obstacle' } }, obstacle === undefined ? '' : t(obstacle)),
    button(t(detail?.id === 'all' ? 'write.all' : 'write.one'), {
      look: 'primary',
      isDisabled: obstacle !== undefined || page.busy !== undefined,
      describedBy: 'write-obstacle',
      onClick: () => detail !== undefined && send({ kind: 'write', id: detail.id, mode }),
    }),
  );
}

/** Why nothing can be written now, as the key of a text. */
function obstacleOf({ state }: View): string | undefined {
  if (!state.isTrusted) return 'obstacle.trust';
  if (state.detail?.tools === 0) return 'obstacle.noTools';
  if (state.detail?.findingsAccepted === false) return 'obstacle.findings';
  return undefined;
}
