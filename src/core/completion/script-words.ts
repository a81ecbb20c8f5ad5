/**
 * What a word is in TypeScript and JavaScript, told by what is open and by its neighbours: a key word, a name that is
 * introduced, a key, a value, a type or a member. What cannot be told yet is said to be unsure.
 */
import { add, BOTH, type Frame, note, ownerOf, TYPE, VALUE } from './script-frames.ts';
import { receiverBefore } from './script-receivers.ts';
import { ScriptState } from './script-state.ts';
import { CONTINUING_WORD, isOperand, type Token } from './script-tokens.ts';

const STATEMENT =
  /^(?:const|let|var|return|if|for|while|switch|throw|try|import|export|function|class|interface|enum|abstract|break|continue)$/;
const KEYWORDS = new Set(
  (
    'abstract as assert async await break case catch continue debugger declare default delete do else extends false ' +
    'finally for from if implements in instanceof is new null of out override private protected public readonly return ' +
    'satisfies static super switch this throw true try typeof undefined void while with yield import export global ' +
    'arguments globalThis unique infer asserts keyof var let const function class target meta accessor get set'
  ).split(' '),
);
/** Key words that may as well be names. */
const SOFT =
  /^(?:async|from|of|get|set|out|is|as|global|target|meta|assert|accessor|declare|abstract|readonly|static|unique|infer|asserts|keyof|override)$/;
const TYPE_WORDS = new Set(
  (
    'any asserts bigint boolean const extends false in infer intrinsic is keyof never new null number object out readonly ' +
    'string symbol this true undefined unique unknown void abstract import typeof'
  ).split(' '),
);
const MODIFIER = /^(?:public|private|protected|readonly|static|abstract|async|get|set|declare|override|accessor)$/;
/** What follows the name of a member, so that it is no modifier. */
const BEHIND_NAME = /^[(=:;?!<,}]$/;

export class ScriptWords extends ScriptState {
  protected member(token: Token): void {
    const found = receiverBefore(this.past);
    const isType = this.top.mode === 'type';
    const { receiver, root, isMade } = found ?? { receiver: '', root: '', isMade: false };
    const isCalled = !isMade && !isType && this.next === '(';
    const access = { receiver, root, member: token.text, isType, isCalled, at: token.start };
    if (found !== undefined) note(this.top, access);
    this.onUse?.({ token, space: isType ? 'type' : 'value', access, isSure: true }, this.top);
  }

  protected word(token: Token): void {
    if (this.isDot(this.previous)) {
      this.member(token);
      return;
    }
    const { top } = this;
    if (this.before === '@') {
      this.use(token, 'value');
      return;
    }
    if (top.kind === 'head' && this.headWord(token)) return;
    if (top.kind === 'list') {
      this.listWord(token);
      return;
    }
    switch (top.mode) {
      case 'key':
        this.keyWord(token);
        return;
      case 'binding':
        this.bindingWord(token);
        return;
      case 'type':
        this.typeWord(token);
        return;
      case 'named':
        this.namedWord(token);
        return;
      case 'value':
        this.valueWord(token);
        return;
      default:
        top.mode satisfies never;
    }
  }

  /** Names of what is declared, and what it extends; false where the word is none of them. */
  protected headWord(token: Token): boolean {
    const { top } = this;
    const { head, outer } = top;
    const { text } = token;
    if (head === 'loop' || head === 'arrow' || outer === undefined) return false;
    if (text === 'extends' || text === 'implements') {
      if (head !== 'class' && head !== 'interface') return false;
      top.mode = text === 'extends' && head === 'class' ? 'value' : 'type';
      top.stage = 'after';
      return true;
    }
    if (top.stage !== 'start' || !/^(?:function|class|interface|type|\*)$/.test(this.before)) return false;
    const bits = head === 'function' ? VALUE : head === 'class' ? BOTH : TYPE;
    this.introduce(text, bits, head === 'class' ? top : ownerOf(outer));
    this.introduce(text, bits, ownerOf(outer));
    return true;
  }

  protected listWord(token: Token): void {
    const { outer } = this.top;
    const previous = this.before;
    if (token.text === 'as') return;
    if (token.text === 'type' && /^[\w$]/.test(this.next) && this.next !== 'as') return;
    const isImport = outer?.doing === 'importing';
    if (previous !== 'as') this.use(token, 'list');
    if (isImport && this.next !== 'as') this.bringIn(token.text, outer.isCast || previous === 'type');
    if (!isImport && previous !== 'as' && outer !== undefined) add(outer.free, token.text, BOTH);
  }

  protected keyWord(token: Token): void {
    const { top } = this;
    const next = this.next;
    const isName = BEHIND_NAME.test(next) || this.isAtEnd || this.tokens[this.at + 1]?.isFirst === true;
    if (MODIFIER.test(token.text) && !isName) {
      if (token.text === 'static') top.isStatic = true;
      return;
    }
    if (top.kind === 'pattern') {
      if (next === ':') return;
      this.introduce(token.text, VALUE);
    } else if (top.kind === 'object' && !/^[(:<]$/.test(next)) {
      const isShort = next === ',' || next === '}';
      if (isShort || this.isAtEnd) this.use(token, 'value', isShort && !this.isUnsure(top));
    }
    top.mode = 'named';
  }

  protected bindingWord(token: Token): void {
    const { top } = this;
    const { text } = token;
    const next = this.next;
    const isBeforeName = /^[\w$[{]/.test(next) && !/^(?:of|in|extends|as|from)$/.test(next);
    if (top.kind === 'params' && isBeforeName && /^(?:public|private|protected|readonly|override)$/.test(text)) return;
    if (top.kind === 'generics' && isBeforeName && /^(?:const|in|out)$/.test(text)) return;
    if (top.doing === 'importing') {
      if (text === 'type' && next !== 'from' && next !== ',') top.isCast = true;
      else if (text === 'as') return;
      else if (text === 'from') top.mode = 'value';
      else this.bringIn(text, top.isCast);
      return;
    }
    if (top.doing === 'declaring' && text === 'enum') {
      this.naming('naming-enum');
      return;
    }
    if (text === 'this') top.mode = 'named';
    else {
      this.introduce(text, top.kind === 'generics' ? TYPE : VALUE);
      top.mode = 'named';
    }
  }

  /** Behind a name that was introduced. */
  protected namedWord(token: Token): void {
    const { top } = this;
    if (top.kind === 'generics' && token.text === 'extends') top.mode = 'type';
    else if (token.text === 'of' || token.text === 'in') top.mode = 'value';
    else if (top.kind === 'class' || top.kind === 'object' || top.kind === 'type') {
      top.mode = 'key';
      this.keyWord(token);
    }
  }

  protected typeWord(token: Token): void {
    const { top } = this;
    const { text } = token;
    const previous = this.before;
    if (previous === 'typeof') {
      if (!KEYWORDS.has(text)) this.use(token, 'value');
      return;
    }
    if (previous === 'infer') {
      let owner: Frame = top;
      while (owner.outer !== undefined && owner.kind !== 'head' && owner.kind !== 'block') owner = owner.outer;
      this.introduce(text, TYPE, owner);
      return;
    }
    if (text === 'implements' && top.kind === 'head') return;
    if (TYPE_WORDS.has(text)) return;
    const next = this.next;
    const after = this.tokens[this.at + 2]?.text;
    const isNamed = next === ':' || (next === '?' && (after === ':' || after === ',' || after === ')'));
    if (top.kind === 'types' && isNamed && top.choices === 0) {
      this.introduce(text, VALUE, top);
      return;
    }
    if (next === 'is' || previous === 'asserts') return;
    if (text === 'as' || text === 'satisfies') return;
    this.use(token, 'type', !(top.kind === 'types' && top.close === ')' && this.isAtEnd));
  }

  protected valueWord(token: Token): void {
    const { text } = token;
    const { top } = this;
    const next = this.next;
    const isStart = !isOperand(this.previous) || token.isFirst;
    const isNaming = /^[\w$]/.test(next);
    if (top.doing === 'naming-block' || top.doing === 'naming-enum') {
      this.introduce(text, BOTH);
      return;
    }
    if (STATEMENT.test(text) && this.statementWord(text, next)) return;
    if (isStart && isNaming && !this.tokens[this.at + 1]?.isFirst) {
      if (text === 'type' && !CONTINUING_WORD.test(next)) {
        this.openHead('alias');
        return;
      }
      if (text === 'namespace' || text === 'module') {
        this.naming('naming-block');
        return;
      }
    }
    if (text === 'global' && next === '{') {
      this.naming('naming-block');
      return;
    }
    if ((text === 'as' || text === 'satisfies') && isOperand(this.previous)) {
      if (next === 'const') return;
      top.mode = 'type';
      top.isCast = true;
      return;
    }
    if (text === 'case' || (text === 'default' && next === ':')) top.doing = 'case';
    if (next === '=>') {
      const head = this.openHead('arrow');
      head.stage = 'after';
      this.introduce(text, VALUE, head);
      return;
    }
    const isName = SOFT.test(text) && !isNaming && next !== '{' && next !== '(' && isStart;
    if (KEYWORDS.has(text) && !isName) return;
    // The name of a label, or the first of parameters that are not closed.
    const isLabel = next === ':' && top.choices === 0 && top.doing !== 'case' && top.kind !== 'object';
    if (isLabel || (top.kind === 'maybe' && next === '?')) {
      this.maybeParameter(text);
      return;
    }
    // Nothing else may follow a parameter.
    const isNoParameter = top.kind === 'maybe' && next !== '' && !/^[,):?=]$/.test(next);
    this.use(token, 'value', isNoParameter || !this.isUnsure(top));
  }

  protected maybeParameter(name: string): void {
    const { top } = this;
    if (top.kind !== 'maybe') return;
    this.introduce(name, VALUE, top);
    top.mode = 'named';
  }

  /** Words that begin a declaration; false for others. */
  protected statementWord(text: string, next: string): boolean {
    const { top } = this;
    switch (text) {
      case 'const':
      case 'let':
      case 'var':
        top.doing = 'declaring';
        top.mode = 'binding';
        return true;
      case 'function':
        this.openHead('function').hasSelf = true;
        return true;
      case 'class':
        this.openHead('class');
        return true;
      case 'interface':
        if (!/^[\w$]/.test(next)) return false;
        this.openHead('interface');
        return true;
      case 'enum':
        this.naming('naming-enum');
        return true;
      case 'import':
        if (next === '(' || next === '.') return true;
        top.doing = 'importing';
        top.mode = 'binding';
        return true;
      case 'export':
        if (next === '{' || (next === 'type' && this.tokens[this.at + 2]?.text === '{')) top.doing = 'exporting';
        return true;
      default:
        return false;
    }
  }
}
