/**
 * Access to the document of a stored page. Names in a page can replace properties of its document and its forms (DOM clobbering, HTML 3.1.5), so
 * that every access goes through functions of the prototypes, which are taken before the page is shown.
 */

/** Returns a function that reads a property as its prototype defines it. */
function getterOf<T extends object, Name extends keyof T>(prototype: T, name: Name): (node: T) => T[Name] {
  const getter = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  if (getter === undefined) throw new TypeError(`${String(name)} has no getter`);
  return (node) => getter.call(node);
}

const querySelectorAll = Document.prototype.querySelectorAll;
const { getAttribute, getAttributeNames, removeAttribute, scrollIntoView, setAttribute } = Element.prototype;
const contains = Node.prototype.contains;

export const parentOf = getterOf(Node.prototype, 'parentElement');
export const childrenOf = getterOf(Element.prototype, 'children');
export const nameOf = getterOf(Element.prototype, 'localName');
export const classesOf = getterOf(Element.prototype, 'classList');
export const textOf = getterOf(Node.prototype, 'textContent');

/** Returns the elements of a document that match a selector. @throws DOMException for an invalid selector */
export const findIn = (page: Document, selector: string): NodeListOf<Element> => querySelectorAll.call(page, selector);
/** Returns the elements of the shown page that match a selector. @throws DOMException for an invalid selector */
export const find = (selector: string): NodeListOf<Element> => findIn(document, selector);
/** Moves a node of a parsed document to the shown one. */
export const adopt = Document.prototype.adoptNode.bind(document);

export const attributeOf = (node: Element, name: string): string | null => getAttribute.call(node, name);
export const attributeNamesOf = (node: Element): string[] => getAttributeNames.call(node);
export const setAttributeOf = (node: Element, name: string, value: string): void =>
  setAttribute.call(node, name, value);
export const removeAttributeOf = (node: Element, name: string): void => removeAttribute.call(node, name);
export const scrollTo = (node: Element, block: ScrollLogicalPosition): void => scrollIntoView.call(node, { block });
export const isInside = (outer: Node, node: unknown): node is Element =>
  node instanceof Element && contains.call(outer, node);

/** Removes an attribute from every element that has it. */
export function unmark(name: string): void {
  for (const node of find(`[${name}]`)) removeAttributeOf(node, name);
}
