/**
 * The only file that knows the UI toolkit: it registers the few elements the page takes from it and describes them.
 * Whoever replaces the toolkit replaces this file.
 */
import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeCheckbox,
  vsCodeProgressRing,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';
import { type Described, h } from './dom.ts';

/** Makes the elements known to the document; once, before the first patch. */
export function registerComponents(): void {
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeCheckbox(), vsCodeProgressRing(), vsCodeTextField());
}

export interface ButtonOptions {
  readonly look: 'primary' | 'secondary';
  readonly onClick: () => void;
  readonly isDisabled?: boolean;
  readonly class?: string;
  /** Id of the element that says why the button is off. */
  readonly describedBy?: string;
}

export function button(text: string, options: ButtonOptions): Described {
  return h(
    'vscode-button',
    {
      class: options.class,
      attributes: {
        appearance: options.look,
        ...(options.describedBy === undefined ? {} : { 'aria-describedby': options.describedBy }),
      },
      properties: { disabled: options.isDisabled ?? false },
      on: { click: () => options.isDisabled !== true && options.onClick() },
    },
    text,
  );
}

export function checkbox(text: string, isChecked: boolean, onChange: (isChecked: boolean) => void): Described {
  return h(
    'vscode-checkbox',
    {
      properties: { checked: isChecked },
      // The toolkit also tells of changes that the page itself made.
      on: { change: (event) => report(event, 'checked', isChecked, onChange) },
    },
    text,
  );
}

export function filterField(label: string, text: string, onInput: (text: string) => void): Described {
  return h(
    'vscode-text-field',
    {
      class: 'filter',
      attributes: { placeholder: label },
      properties: { value: text },
      on: { input: (event) => report(event, 'value', text, onInput) },
    },
    // The toolkit makes the accessible name of its text; the sheet hides the label itself.
    label,
  );
}

/** A list to choose from; the browser's own, which every screen reader knows. */
export function choice(
  label: string,
  options: readonly string[],
  chosen: string,
  onChange: (chosen: string) => void,
): Described {
  return h(
    'label',
    { class: 'field' },
    h('span', {}, label),
    h(
      'select',
      { properties: { value: chosen }, on: { change: (event) => report(event, 'value', chosen, onChange) } },
      options.map((option) => h('option', { key: option, attributes: { value: option } }, option)),
    ),
  );
}

/** A whole number from 1 to `most`. Anything else goes back to what it was when the field is left. */
export function countField(label: string, count: number, most: number, onChange: (count: number) => void): Described {
  return h(
    'label',
    { class: 'field' },
    h('span', {}, label),
    h('input', {
      class: 'count',
      attributes: { type: 'number', min: '1', max: String(most), step: '1', inputmode: 'numeric' },
      drafts: { value: String(count) },
      on: {
        change: (event) => {
          const field = event.currentTarget;
          if (!(field instanceof HTMLInputElement)) return;
          const wanted = Number(field.value);
          if (field.value !== '' && Number.isInteger(wanted) && wanted >= 1 && wanted <= most) onChange(wanted);
          else field.value = String(count);
        },
      },
    }),
  );
}

export function progressRing(): Described {
  return h('vscode-progress-ring', { attributes: { 'aria-hidden': 'true' } });
}

function report<T extends string | boolean>(event: Event, property: string, before: T, tell: (value: T) => void): void {
  const target = event.currentTarget;
  const value: unknown = target === null ? undefined : Reflect.get(target, property);
  if (isLike(value, before) && value !== before) tell(value);
}

function isLike<T>(value: unknown, sample: T): value is T {
  return typeof value === typeof sample;
}
