import { type Element, Flag } from '../tree/page-tree.ts';
import { LEVELS } from './thresholds.ts';

/** Names of the template of a missing page in the common site systems and themes. */
const MISSING =
  /(?:^|[\s_-])(?:error-?404|404-?(?:error|page|template|content|container|wrapper|not-?found)|(?:page|template|view|layout|body|type)-404|(?:page|error|content)-?not-?found|not-?found-?(?:page|error|content|container|wrapper)|cms-no-?route(?:-index)?|pagenotfound)(?=$|[\s_-])/i;

/** Returns true if the body, or a box that holds most of its words, is named as the template of a missing page. */
export function isMissingTemplate(body: Element): boolean {
  let element: Element | undefined = body;
  for (let level = 0; element !== undefined && level <= LEVELS; level++) {
    if (isNamedMissing(element)) return true;
    const share: number = element.words / 2;
    element = element.children.find(
      (child): child is Element =>
        typeof child !== 'string' && (child.flags & Flag.notRendered) === 0 && child.words > share,
    );
  }
  return false;
}

const isNamedMissing = ({ attributes: { class: className = '', id = '' } }: Element): boolean =>
  MISSING.test(className) || MISSING.test(id);
