/**
 * What is said to a model: the forms that adapters are trained on, fill-in-the-middle with the model's own markers, and
 * the context of the workspace in front. Everything that comes from files or people is a text part, never a marker.
 */
import { redactSource } from '#core/scan/source-secrets.ts';
import type { CompletionRequest, Passage, Question } from './engine.ts';
import type { Generation, ModelTraits, Piece, PromptForm } from './model-engine.ts';

type Asked = Pick<Generation, 'prompt' | 'stop'>;

/** Characters a token of code has at least, nearly always. */
const CHARACTERS_PER_TOKEN = 3;
/** Lines by which the window before the cursor moves, so that it begins alike from key to key. */
const WINDOW_STEP = 32;
const FACTS_SHOWN = 24;

const text = (value: string): Piece => ({ kind: 'text', text: value });
const special = (value: string): Piece => ({ kind: 'special', text: value });
const giving = (value: string, at: 'start' | 'end', rank: number): Piece => ({
  kind: 'text',
  text: value,
  gives: { at, rank },
});

const PREAMBLE = {
  withInput:
    'Below is an instruction that describes a task, paired with an input that provides further context. Write a response that appropriately completes the request.',
  alone: 'Below is an instruction that describes a task. Write a response that appropriately completes the request.',
};

/** The question in the form that the adapter knows, with the passages as its input. */
export function answerPrompt(
  question: Question,
  passages: readonly Passage[],
  traits: Pick<ModelTraits, 'form' | 'contextTokens'>,
): Asked {
  const budget = Math.max(0, traits.contextTokens - question.maxTokens) * CHARACTERS_PER_TOKEN;
  const context = packed(passages, Math.floor(budget / 2));
  return FORMS[traits.form](question.instruction, question.input ?? '', context);
}

/**
 * Whole passages, best first, as far as `characters` reach; file and line in front of each. What looks like a secret is
 * taken out: the model may be a server elsewhere.
 */
export function packed(passages: readonly Passage[], characters: number): string {
  const parts: string[] = [];
  let left = characters;
  for (const { file, line, endLine, text: code } of passages) {
    const part = `// ${file}:${line}-${endLine}\n${redactSource(code)}\n`;
    if (part.length > left) continue;
    left -= part.length;
    parts.push(part);
  }
  return parts.join('\n');
}

const FORMS: Record<PromptForm, (instruction: string, input: string, context: string) => Asked> = {
  alpaca(instruction, input, context) {
    const hasInput = input !== '' || context !== '';
    return {
      prompt: [
        text(`${hasInput ? PREAMBLE.withInput : PREAMBLE.alone}\n\n### Instruction:\n`),
        giving(unheaded(instruction), 'end', 3),
        ...(hasInput ? [text('\n\n### Input:\n'), ...inputs(unheaded(input), unheaded(context))] : []),
        text('\n\n### Response:\n'),
      ],
      stop: ['\n### Instruction:', '\n### Input:', '\n### Response:'],
    };
  },
  chatml(instruction, input, context) {
    const isMore = input !== '' || context !== '';
    return {
      prompt: [
        special('<|im_start|>'),
        text('user\n'),
        giving(instruction, 'end', 3),
        ...(isMore ? [text('\n\n'), ...inputs(input, context)] : []),
        special('<|im_end|>'),
        text('\n'),
        special('<|im_start|>'),
        text('assistant\n'),
      ],
      stop: ['<|im_end|>', '<|im_start|>'],
    };
  },
  raw(instruction, input, context) {
    return {
      prompt: [
        ...inputs('', context),
        ...(context === '' ? [] : [text('\n')]),
        giving(joined(instruction, input), 'start', 3),
      ],
      stop: [],
    };
  },
};

/** What is given and what was found; what was found goes first where the whole is too long. */
function inputs(input: string, context: string): readonly Piece[] {
  return [
    ...(context === '' ? [] : [giving(context, 'end', 1)]),
    ...(context !== '' && input !== '' ? [text('\n')] : []),
    ...(input === '' ? [] : [giving(input, 'end', 2)]),
  ];
}

const joined = (instruction: string, input: string): string =>
  input === '' ? instruction : `${instruction}\n${input}`;

/** Alpaca's headings are plain text to every model: a heading inside of the data gets a space so that it is none. */
function unheaded(data: string): string {
  return data.replace(/^(#{2,3})(?=[ \t]*(?:instruction|input|response)\b)/gim, ' $1');
}

/** What completes code at the cursor. The line that is written stands last, so that a key changes only the end. */
export function completionPrompt(
  request: Pick<CompletionRequest, 'prefix' | 'suffix' | 'path' | 'facts'>,
  passages: readonly Passage[],
  traits: Pick<ModelTraits, 'fim' | 'contextTokens'>,
  maxTokens: number,
): Asked {
  const budget = Math.max(64, traits.contextTokens - maxTokens) * CHARACTERS_PER_TOKEN;
  const { before, line } = splitAtLine(request.prefix);
  const window = windowOf(before, Math.floor(budget / 2));
  const suffix = (request.suffix ?? '').slice(0, Math.floor(budget / 8));
  const context = contextOf(request, packed(passages, Math.floor(budget / 4)));
  const { fim } = traits;
  // Without markers what stands after the cursor cannot be said; then the text before it simply goes on.
  const prompt: readonly Piece[] =
    fim === undefined
      ? [giving(context, 'end', 1), giving(window, 'start', 2), text(line)]
      : [
          special(fim.prefix),
          giving(context, 'end', 1),
          giving(window, 'start', 3),
          special(fim.suffix),
          giving(suffix, 'end', 2),
          special(fim.middle),
          text(line),
        ];
  return { prompt: prompt.filter((piece) => piece.text !== ''), stop: stopsOf(request.suffix ?? '', line) };
}

function splitAtLine(prefix: string): { readonly before: string; readonly line: string } {
  const at = prefix.lastIndexOf('\n') + 1;
  return { before: prefix.slice(0, at), line: prefix.slice(at).slice(-2_000) };
}

/** The end of the text from a line that stays the same for many keys. */
function windowOf(before: string, characters: number): string {
  if (before.length <= characters) return before;
  const lines = before.split('\n');
  let from = lines.length;
  let length = 0;
  while (from > 0 && length + (lines[from - 1]?.length ?? 0) + 1 <= characters) {
    from -= 1;
    length += (lines[from]?.length ?? 0) + 1;
  }
  const stepped = Math.ceil(from / WINDOW_STEP) * WINDOW_STEP;
  return lines.slice(stepped < lines.length - 1 ? stepped : from).join('\n');
}

/** What else is known at this place, as comments that end before the code begins. */
function contextOf({ path, facts }: Pick<CompletionRequest, 'path' | 'facts'>, found: string): string {
  const names = (facts ?? []).slice(0, FACTS_SHOWN).map((fact) => fact.replace(/\s+/g, ' '));
  return [
    found,
    ...(names.length === 0 ? [] : [`// Available here: ${names.join(', ')}\n`]),
    ...(path === undefined || (found === '' && names.length === 0) ? [] : [`// ${path.replace(/\s+/g, ' ')}\n`]),
  ].join('');
}

/** The line after the cursor is where the missing part ends; a model that repeats it has nothing more to say. */
function stopsOf(suffix: string, line: string): readonly string[] {
  const next = suffix.split('\n').find((one) => one.trim().length > 3);
  const repeated = next === undefined || next.trim() === line.trim() ? [] : [`\n${next.replace(/\s+$/, '')}`];
  return ['\n\n\n', ...repeated];
}
