/**
 * Turns a description of elements into real ones and, later, one description into the next with as few changes as
 * possible. Text is only ever set as text, so that whatever a server wrote stays words; there is no way to give markup.
 */

export interface Described {
  readonly tag: string;
  /** Keeps an element its own among siblings that come, go and change places. */
  readonly key?: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  /** Live properties, held to the given value after every patch. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** Live properties that a person may be in the middle of changing: set where the description is another, and else left. */
  readonly drafts: Readonly<Record<string, unknown>>;
  /** Custom properties of CSS; the page's policy allows no style attribute. */
  readonly css: Readonly<Record<string, string>>;
  readonly on: Readonly<Record<string, (event: Event) => void>>;
  readonly children: readonly (Described | string)[];
}

export type Child = Described | string | undefined | readonly Child[];

export interface Parts extends Partial<Omit<Described, 'tag' | 'children'>> {
  readonly class?: string | undefined;
}

/** Describes an element. Absent children are left out, lists are taken as they are. */
export function h(tag: string, parts: Parts = {}, ...children: readonly Child[]): Described {
  const { class: className, attributes = {}, properties = {}, drafts = {}, css = {}, on = {}, key } = parts;
  const all = className === undefined ? attributes : { class: className, ...attributes };
  return {
    tag,
    ...(key === undefined ? {} : { key }),
    attributes: all,
    properties,
    drafts,
    css,
    on,
    children: flat(children),
  };
}

function flat(children: readonly Child[]): (Described | string)[] {
  return children.flatMap((child): (Described | string)[] =>
    child === undefined ? [] : isList(child) ? flat(child) : [child],
  );
}

function isList(child: Child): child is readonly Child[] {
  return Array.isArray(child);
}

const described = new WeakMap<Node, Described>();

function dispatch(event: Event): void {
  const target = event.currentTarget;
  if (target instanceof Node) described.get(target)?.on[event.type]?.(event);
}

/** Makes the children of `parent` what is described. What is there already is kept and changed. */
export function patch(parent: Element, children: readonly (Described | string)[]): void {
  const wanted = new Set(children.flatMap((child) => (typeof child === 'string' ? [] : [idOf(child)])));
  const keyed = new Map<string, Element>();
  for (const node of [...parent.childNodes]) {
    const before = described.get(node);
    if (before?.key === undefined || !(node instanceof Element)) continue;
    if (wanted.has(idOf(before))) keyed.set(idOf(before), node);
    else node.remove();
  }
  let at = parent.firstChild;
  for (const child of children) {
    const found = typeof child === 'string' ? textAt(at) : elementFor(child, at, keyed);
    const node = found ?? create(child, parent);
    // A new element is complete before it is connected: those of a toolkit choose their defaults then.
    if (typeof child === 'string') {
      if (node.nodeValue !== child) node.nodeValue = child;
    } else if (node instanceof Element) update(node, child);
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
  }
  for (let next = at?.nextSibling ?? null; at !== null; at = next, next = at?.nextSibling ?? null) at.remove();
}

function idOf({ tag, key }: Described): string {
  return `${tag}:${key ?? ''}`;
}

function textAt(at: ChildNode | null): ChildNode | undefined {
  return at?.nodeType === Node.TEXT_NODE ? at : undefined;
}

function elementFor(child: Described, at: ChildNode | null, keyed: Map<string, Element>): Element | undefined {
  if (child.key !== undefined) return keyed.get(idOf(child));
  const before = at === null ? undefined : described.get(at);
  return before?.key === undefined && before?.tag === child.tag && at instanceof Element ? at : undefined;
}

function create(child: Described | string, parent: Element): ChildNode {
  return typeof child === 'string' ? parent.ownerDocument.createTextNode(child) : document.createElement(child.tag);
}

function update(element: Element, next: Described): void {
  const before = described.get(element);
  described.set(element, next);
  for (const name of Object.keys({ ...before?.attributes, ...next.attributes })) {
    const value = next.attributes[name];
    if (value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  if (element instanceof HTMLElement)
    for (const name of Object.keys({ ...before?.css, ...next.css }))
      if (before?.css[name] !== next.css[name]) element.style.setProperty(name, next.css[name] ?? '');
  for (const type of Object.keys(next.on)) element.addEventListener(type, dispatch);
  patch(element, next.children);
  for (const [name, value] of Object.entries(next.properties))
    if (Reflect.get(element, name) !== value) Reflect.set(element, name, value);
  for (const [name, value] of Object.entries(next.drafts))
    if (before?.drafts[name] !== value) Reflect.set(element, name, value);
}
