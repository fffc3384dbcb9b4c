import type { RenderContext } from '../page/render-context.ts';

/** Timeout of input, ms. A page that navigates or shows a dialog acknowledges none. */
const INPUT_TIMEOUT_MS = 2_000;

/** Clicks at the point with the mouse, after moving to it; taps on a mobile device. */
export async function clickAt(context: RenderContext, x: number, y: number): Promise<void> {
  const { session, emulation } = context.tab;
  const point = { x, y };
  const pressed = emulation.current.isMobile
    ? Promise.all([
        session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] }),
        session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] }),
      ])
    : Promise.all([
        session.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...point }),
        session.send('Input.dispatchMouseEvent', { type: 'mousePressed', button: 'left', clickCount: 1, ...point }),
        session.send('Input.dispatchMouseEvent', { type: 'mouseReleased', button: 'left', clickCount: 1, ...point }),
      ]);
  await context.waitUpTo(pressed, INPUT_TIMEOUT_MS);
}
