/**
 * Reads the tokens of TypeScript or JavaScript into frames and tells of each name whether it is declared, used as a value
 * or a type, or taken of something. No grammar: brackets, key words and neighbours decide, so that a piece may end
 * anywhere; what cannot be told is said to be unsure.
 */
import { baseMode, copyOf, type Frame, type Kind, TYPE, VALUE } from './script-frames.ts';
import type { OnUse } from './script-state.ts';
import { CONTINUING_WORD, isOperand, type Token } from './script-tokens.ts';
import { ScriptWords } from './script-words.ts';

const RECOVERING = /^(?:const|let|var|return|if|for|while|switch|throw|try|export)$/;
/** Behind these a line goes on, and before those. */
const OPEN_END = /^(?:[-+*/%=&|^<,.?:!~([{@]|=>|\?\.|\.\.\.|&&=?|\|\|=?|\?\?=?|[=!]==?|[-+*%&|^]=|\*\*=?|<=|<<=?)$/;
const OPEN_START = /^(?:[-+*/%=&|^,.?:)\](]|=>|\?\.|&&=?|\|\|=?|\?\?=?|[=!]==?|[-+*%&|^]=|\*\*=?|<=|<<=?|>|\[)$/;

/** No arrow function stands behind an operator. */
const BEFORE_ARROW = /^(?:|[(,=:?[{};)]|=>|&&=|\|\|=|\?\?=|\$\{|return|default|async|yield|export|else|do)$/;

/** Tokens between two pauses. */
const STEP = 1_500;

export class Reader extends ScriptWords {
  /** Another that reads on from here. */
  fork(onUse: OnUse | undefined): Reader {
    const fork = new Reader(onUse);
    fork.top = copyOf(this.top);
    fork.past = this.past.slice(-200);
    fork.left = this.left;
    return fork;
  }

  /** Whether the next name is a member. */
  get isBehindDot(): boolean {
    return this.isDot(this.previous);
  }

  read(tokens: readonly Token[]): void {
    for (const _ of this.steps(tokens));
  }

  /** The same with pauses. */
  *steps(tokens: readonly Token[]): Generator<void> {
    this.tokens = tokens;
    this.closing = closingOf(tokens);
    for (this.at = 0; this.at < tokens.length; this.at += 1) {
      if (this.at % STEP === STEP - 1) yield;
      const token = tokens[this.at];
      if (token === undefined) continue;
      if (token.isFirst) this.endLine(token);
      if (token.kind === 'word') this.word(token);
      else if (token.kind === 'mark') this.mark(token);
      else if (this.top.kind === 'maybe' && this.top.mode === 'value') this.top.kind = 'values';
      this.past.push(token);
    }
  }

  /** A new line ends a statement where neither side goes on. */
  protected endLine(token: Token): void {
    const previous = this.previous;
    if (previous === undefined || (previous.kind === 'mark' && OPEN_END.test(previous.text))) return;
    if (token.kind === 'mark' && OPEN_START.test(token.text)) return;
    if (token.kind === 'word' && CONTINUING_WORD.test(token.text)) return;
    if (!previous.isTaken && /^(?:extends|implements|as|of|in|keyof|typeof|new|else)$/.test(previous.text)) return;
    if (token.kind === 'word' && RECOVERING.test(token.text) && !/^[([,]$/.test(previous.text)) this.recover();
    let real: Frame | undefined = this.top;
    while (real !== undefined && (real.kind === 'head' || real.close === '>')) real = real.outer;
    if (real === undefined || !/^(?:block|class|type)$/.test(real.kind)) return;
    const { head, stage, mode } = this.top;
    if (head === 'loop' && stage === 'after') return;
    if (token.text === '{' && head !== undefined) return;
    if (token.text === '}' || (token.text === '{' && mode === 'type')) return;
    if (token.text === '<' && mode === 'type') return;
    this.endStatement();
  }

  protected mark(token: Token): void {
    const { top } = this;
    switch (token.text) {
      case '(':
        this.parenthesis();
        return;
      case '[':
        this.bracket();
        return;
      case '{':
      case '${':
        this.brace(token.text);
        return;
      case '<':
        this.angle(token);
        return;
      case ')':
      case ']':
      case '}':
        this.close(token.text);
        return;
      case '>':
        this.close('>');
        return;
      case ';':
        this.endStatement();
        return;
      case ',':
        this.comma();
        return;
      case ':':
        this.colon();
        return;
      case '=>':
        this.arrow();
        return;
      case '?':
        if (top.mode === 'value' || top.mode === 'type') top.choices += 1;
        if (top.isCast) this.endCast();
        return;
      case '=':
        if (top.head === 'alias' || top.kind === 'generics') top.mode = 'type';
        else top.mode = 'value';
        top.isCast = false;
        return;
      case '...':
        if (top.kind === 'object') top.mode = 'value';
        else if (top.kind === 'pattern') top.mode = 'binding';
        return;
      default:
        // No parameters have this.
        if (top.kind === 'maybe' && top.mode === 'value' && token.text !== '@') top.kind = 'values';
        if (top.isCast && top.doing !== 'importing' && !/^[.&|!]$/.test(token.text)) this.endCast();
        // No type is read where this stands.
        if (top.close === '>' && /^(?:&&|\|\||===|!==|==|!=|\?\?)$/.test(token.text)) this.leave();
    }
  }

  protected endCast(): void {
    this.top.isCast = false;
    this.top.mode = 'value';
  }

  protected comma(): void {
    while (this.top.kind === 'head' && this.top.head !== 'class' && this.top.head !== 'interface') this.leave();
    const { top } = this;
    if (top.kind === 'head') return;
    const isDeclaring = top.doing === 'declaring' || top.doing === 'importing';
    top.mode = isDeclaring && (top.kind === 'block' || top.kind === 'params') ? 'binding' : baseMode(top.kind);
    top.choices = 0;
    top.isCast = false;
  }

  protected colon(): void {
    if (this.top.head === 'arrow' && this.top.stage === 'body' && this.top.choices === 0) this.leaveHeads();
    const { top } = this;
    this.isOfChoice = top.choices > 0;
    if (top.choices > 0) {
      top.choices -= 1;
      if (top.isCast) this.endCast();
      return;
    }
    if (top.doing === 'case') {
      top.doing = undefined;
      top.mode = 'value';
    } else if (top.kind === 'object') top.mode = 'value';
    else if (top.kind === 'pattern') top.mode = 'binding';
    else if (top.mode === 'named' || (top.kind === 'head' && top.stage === 'after')) top.mode = 'type';
    else if (top.kind === 'type' || top.kind === 'class') top.mode = 'type';
  }

  protected arrow(): void {
    const { top } = this;
    const isFunctionType = this.previous?.text === ')' && this.left?.kind === 'types' && top.mode === 'type';
    if (top.head === 'arrow' && top.stage === 'after' && !isFunctionType) {
      top.stage = 'body';
      top.mode = 'value';
      return;
    }
    if (top.mode === 'type') return;
    const left = this.left;
    const head = this.openHead('arrow');
    head.stage = 'body';
    if (this.previous?.text !== ')' || left === undefined) return;
    for (const name of [...left.free.keys(), ...left.declared.keys()]) this.introduce(name, VALUE, head);
  }

  protected parenthesis(): void {
    const { top } = this;
    const previous = this.previous;
    if (top.kind === 'head' && top.head === 'function' && top.stage === 'start') {
      this.open('params', ')');
      return;
    }
    if (top.kind === 'head' && top.head === 'arrow' && top.stage === 'start') {
      this.open('params', ')');
      return;
    }
    const isDecorator = this.past.at(-2)?.text === '@';
    const isKey = (top.mode === 'named' || top.mode === 'key') && !isDecorator;
    if (isKey && /^(?:class|object|type)$/.test(top.kind)) {
      const head = this.openHead('function');
      head.hasSelf = top.kind !== 'class';
      this.open('params', ')');
      return;
    }
    if (top.mode === 'type') {
      this.open('types', ')');
      return;
    }
    if (this.before === 'for' || (this.before === 'await' && this.past.at(-2)?.text === 'for')) {
      this.openHead('loop');
      this.open('params', ')').mode = 'value';
      return;
    }
    if (this.before === 'catch') {
      this.openHead('loop');
      this.open('params', ')');
      return;
    }
    const isCall =
      (isOperand(previous) && this.before !== 'async') || previous?.text === '?.' || previous?.text === '>';
    // Nothing that is called has a body: a method of a class whose beginning is not read.
    if (isCall && top.kind === 'block' && this.hasBody()) {
      this.openHead('function').hasSelf = true;
      this.open('params', ')');
      return;
    }
    if (isCall && top.kind === 'maybe' && top.mode === 'value') top.kind = 'values';
    const isArrow = isCall || !BEFORE_ARROW.test(this.before) ? false : this.isArrow();
    if (isArrow === true) this.openHead('arrow');
    this.open(isArrow === undefined ? 'maybe' : isArrow ? 'params' : 'values', ')');
  }

  protected hasBody(): boolean {
    const { kind = '', isTaken = true, text = '' } = this.previous ?? {};
    if (kind !== 'word' || isTaken || /^(?:if|while|switch|with)$/.test(text)) return false;
    const next = this.tokens[(this.closing[this.at] ?? Number.NaN) + 1];
    return next?.text === '{' && !next.isFirst;
  }

  /** Whether the parentheses that begin here hold parameters; undefined where that is not to be seen yet. */
  protected isArrow(): boolean | undefined {
    const close = this.closing[this.at];
    if (close === undefined) return undefined;
    const next = this.tokens[close + 1];
    if (next === undefined) return undefined;
    if (next.text !== ':' || this.top.choices > 0) return next.text === '=>';
    let depth = 0;
    for (let at = close + 2; at < close + 80; at += 1) {
      const token = this.tokens[at];
      if (token === undefined) return undefined;
      if (token.text === '=>') return true;
      if (token.text === '<') depth += 1;
      else if (token.text === '>') depth -= 1;
      else if (/^[;=)\]}]$/.test(token.text) || (token.text === ',' && depth === 0)) return false;
      at = this.closing[at] ?? at;
    }
    return false;
  }

  protected bracket(): void {
    const { top } = this;
    if (top.mode === 'binding' || (top.kind === 'pattern' && top.mode === 'key')) {
      this.open('pattern', ']').mode = 'binding';
      return;
    }
    if (top.mode === 'type') {
      this.open('types', ']');
      return;
    }
    const isKey = top.mode === 'key' && (top.kind === 'type' || top.kind === 'class');
    const after = this.tokens[this.at + 2]?.text;
    if (isKey && after === ':') {
      this.open('params', ']');
      return;
    }
    if (isKey && after === 'in') {
      this.introduce(this.next, TYPE, top);
      this.open('types', ']');
      return;
    }
    this.open('values', ']');
  }

  protected brace(text: string): void {
    const { top } = this;
    if (text === '${') {
      this.open('values', '}');
      return;
    }
    const kind = this.braceKind();
    const frame = this.open(kind, '}');
    if (top.kind !== 'head' || kind === 'object' || kind === 'pattern') return;
    const isType = kind === 'type' && top.head !== 'interface';
    if (isType) return;
    frame.isBody = true;
    top.stage = 'body';
  }

  protected braceKind(): Kind {
    const { top } = this;
    const previous = this.previous;
    if (top.kind === 'head') {
      if (top.head === 'class') return 'class';
      if (top.head === 'interface') return 'type';
      const isTypeOpen = top.mode === 'type' && !isTypeEnd(previous);
      if (isTypeOpen || top.head === 'alias') return 'type';
      if (top.head === 'function' && top.stage === 'after') return 'block';
      if (previous?.text === '=>') return 'block';
      if (top.head === 'loop' && (top.stage === 'after' || top.stage === 'start')) return 'block';
    }
    if (top.doing === 'importing' || top.doing === 'exporting') return 'list';
    if (top.doing === 'naming-enum') return 'enum';
    if (top.doing === 'naming-block') return 'block';
    if (top.mode === 'type') return 'type';
    if (top.mode === 'binding' || (top.kind === 'pattern' && top.mode === 'key')) return 'pattern';
    if (top.kind === 'class') return 'block';
    if (top.kind !== 'block' && top.kind !== 'head') return 'object';
    const isStart = previous === undefined || /^(?:[;{})]|else|try|finally|do|catch)$/.test(this.before);
    return isStart || (previous.text === ':' && !this.isOfChoice) ? 'block' : 'object';
  }

  protected angle({ start, end }: Token): void {
    const { top } = this;
    const previous = this.previous;
    const next = this.tokens[this.at + 1];
    if (top.kind === 'head' && top.stage === 'start' && top.head !== 'arrow' && top.mode !== 'type') {
      this.open('generics', '>');
      return;
    }
    if ((top.mode === 'named' || top.mode === 'key') && /^(?:class|object|type)$/.test(top.kind)) {
      const head = this.openHead('function');
      head.hasSelf = top.kind !== 'class';
      this.open('generics', '>');
      return;
    }
    if (top.mode === 'type') {
      this.open('types', '>');
      return;
    }
    if (!isOperand(previous)) {
      this.openHead('arrow');
      this.open('generics', '>');
      return;
    }
    const isTight = previous?.end === start && (next === undefined || next.start === end) && next?.kind !== 'literal';
    if (isTight) this.open('types', '>');
  }
}

/** Whether a type may end with this, so that braces behind it are a body. */
function isTypeEnd(token: Token | undefined): boolean {
  if (token?.kind === 'word')
    return token.isTaken || !/^(?:is|keyof|extends|typeof|readonly|infer|new|in)$/.test(token.text);
  return token?.text === '>' || isOperand(token);
}

/** For each bracket the place of the one that closes it. */
function closingOf(tokens: readonly Token[]): readonly (number | undefined)[] {
  const closing: (number | undefined)[] = [];
  const open: number[] = [];
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== 'mark') continue;
    if (text === '(' || text === '[' || text === '{' || text === '${') open.push(at);
    else if (text === ')' || text === ']' || text === '}') {
      const from = open.pop();
      if (from !== undefined) closing[from] = at;
    }
  }
  return closing;
}
