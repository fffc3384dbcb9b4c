// The parts that every page of accounts has.

/** Returns the element with an id, if it is of this type. */
export function find<E extends HTMLElement>(id: string, type: new () => E): E | undefined {
  const found = document.getElementById(id);
  return found instanceof type ? found : undefined;
}

/** Returns an element that the page has. @throws Error if it is missing */
export function required<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = find(id, type);
  if (found === undefined) throw new Error(`the page has no #${id}`);
  return found;
}

const { page: name = '', home: path = '/' } = document.querySelector('main')?.dataset ?? {};
/** Name of the page, such as `login`. */
export const page = name;
/** Path of the page that follows a sign-in which no other page requested. */
export const home = path;
/** The form of the page; undefined: the script fills the page. */
export const form = find('form', HTMLFormElement);
export const intro = required('intro', HTMLElement);
const message = required('message', HTMLElement);

/** Applies the theme that the person chose in the console; without one the pages follow the system. */
export function applyTheme(): void {
  const theme = localStorage.getItem('tidemark-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
}

/** Shows a message above the form; an empty text hides it. */
export function show(text: string, isBad = false): void {
  message.textContent = text;
  message.classList.toggle('bad', isBad);
  message.hidden = text === '';
  if (isBad) message.scrollIntoView({ block: 'nearest' });
}

/** Shows a text below the heading. */
export function introduce(text: string): void {
  intro.hidden = false;
  intro.textContent = text;
}

/** Shows the content of a page without a form, in place of what it showed before. */
export const fill = (...content: readonly Node[]): void => required('content', HTMLElement).replaceChildren(...content);
