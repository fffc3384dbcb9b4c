import { Landmark } from '@tidemark/contracts/page/v1/blocks';
import { isDeclaredFrame, type Landmarks } from '../landmarks/landmarks.ts';
import { type Element, Flag, isElement } from '../tree/page-tree.ts';
import { MOST_OF_CONTENT } from './thresholds.ts';

/** Returns the declared main part of a page whose choice stands in its frame, such as a slideshow in its header; otherwise the choice. */
export const outsideFrame = (choice: Element, landmarks: Landmarks): Element =>
  landmarks.declaredMain !== undefined && landmarks.isInFrame(choice) ? landmarks.declaredMain : choice;

/**
 * Marks parts of the page's frame inside the main content: sidebars, navigation, footers. Comparisons use the same decision
 * (`Landmarks`), so that a change of a shown word is a change of the content.
 */
export function dropFrame(root: Element, landmarks: Landmarks): void {
  const frames: Element[] = [];
  findFrames(root, landmarks, frames);
  const words = frames.reduce((sum, frame) => sum + frame.words, 0);
  const isContent = words > root.words * MOST_OF_CONTENT;
  for (const frame of frames) if (!isContent || isDeclaredFrame(frame)) frame.flags |= Flag.boilerplate;
}

/** Collects the outermost parts of the frame. */
function findFrames(element: Element, landmarks: Landmarks, frames: Element[]): void {
  for (const child of element.children) {
    if (!isElement(child) || child.words === 0 || (child.flags & (Flag.boilerplate | Flag.notRendered)) !== 0) continue;
    if (landmarks.of(child, Landmark.LANDMARK_MAIN, true) !== Landmark.LANDMARK_MAIN) frames.push(child);
    else findFrames(child, landmarks, frames);
  }
}
