/** What a person must know before anything is written, and where they say that they do. */
import type { DetailView, FindingView } from '../src/protocol/preview.ts';
import { checkbox } from './components.ts';
import { type Described, h } from './dom.ts';
import type { View } from './page-state.ts';

export function findingsSection({ texts, send }: View, detail: DetailView): Described | undefined {
  const { t, number } = texts;
  if (detail.findings.length === 0) return undefined;
  const mustAccept = detail.findings.some((finding) => finding.severity !== 'info');
  return h(
    'section',
    { key: 'findings', class: 'findings', attributes: { 'aria-labelledby': 'findings-title' } },
    h('h2', { attributes: { id: 'findings-title' } }, t('findings.title', number(detail.findings.length))),
    h('p', { class: 'quiet' }, t('findings.text')),
    h(
      'ul',
      {},
      detail.findings.map((finding) => findingItem(finding, detail, texts)),
    ),
    mustAccept
      ? checkbox(t('findings.accept'), detail.findingsAccepted, (accepted) =>
          send({ kind: 'acceptFindings', id: detail.id, accepted }),
        )
      : undefined,
  );
}

function findingItem(finding: FindingView, detail: DetailView, { t }: View['texts']): Described {
  const place = [detail.id === 'all' ? finding.server : undefined, finding.tool].filter((part) => part !== undefined);
  return h(
    'li',
    { class: `finding ${finding.severity}` },
    h('span', { class: 'severity' }, t(`severity.${finding.severity}`)),
    h(
      'div',
      {},
      h(
        'p',
        {},
        h('strong', {}, finding.title),
        place.length === 0 ? '' : ' · ',
        h('span', { class: 'code' }, place.join(' · ')),
      ),
      h('p', { class: 'message' }, finding.message),
      finding.remedy === undefined ? undefined : h('p', { class: 'quiet' }, finding.remedy),
    ),
  );
}
