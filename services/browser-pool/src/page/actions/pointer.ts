import type { Visit } from '../visit.ts';

/** A page that is leaving, or shows a dialog, acknowledges nothing. */
const INPUT_MAX_MS = 2_000;

/** Presses the point as the visitor's device does: with the mouse, which passes over it first, or with a finger. */
export async function pressPoint(visit: Visit, x: number, y: number): Promise<void> {
  const { session, wardrobe } = visit.tab;
  const point = { x, y };
  const pressed = wardrobe.worn.isMobile
    ? Promise.all([
        session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] }),
        session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] }),
      ])
    : Promise.all([
        session.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...point }),
        session.send('Input.dispatchMouseEvent', { type: 'mousePressed', button: 'left', clickCount: 1, ...point }),
        session.send('Input.dispatchMouseEvent', { type: 'mouseReleased', button: 'left', clickCount: 1, ...point }),
      ]);
  await visit.patiently(pressed, INPUT_MAX_MS);
}
