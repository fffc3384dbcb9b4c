import type { Protocol } from 'puppeteer-core';
import type { RenderContext } from '../page/render-context.ts';

/** Timeout of input, ms. A page that navigates or shows a dialog acknowledges none. */
const INPUT_TIMEOUT_MS = 2_000;

/** Clicks at the point with the mouse, after moving to it; taps on a mobile device. What opens in a new window is opened in the same tab. */
export async function clickAt(context: RenderContext, x: number, y: number): Promise<void> {
  const { session } = context.tab;
  let opened = '';
  const onWindow = ({ url }: Protocol.Page.WindowOpenEvent) => {
    opened = url;
  };
  session.on('Page.windowOpen', onWindow);
  try {
    await pressAt(context, x, y);
  } finally {
    session.off('Page.windowOpen', onWindow);
  }
  if (!/^https?:/i.test(opened)) return;
  await context.waitUpTo(session.send('Page.navigate', { url: opened, transitionType: 'link' }), INPUT_TIMEOUT_MS);
}

async function pressAt(context: RenderContext, x: number, y: number): Promise<void> {
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
