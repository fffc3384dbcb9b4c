import type { CDPSession, Protocol } from 'puppeteer-core';

/** A phone of middling size (CSS pixels), as sharp as a screenshot needs. */
const MOBILE = { width: 390, height: 844, deviceScaleFactor: 2, mobile: true } as const;
const TOUCH_POINTS = 5;
/** By this word sites tell a phone (MDN, "Browser detection using the user agent"). */
const MOBILE_MARK = 'Mobile';

/** As whom a tab appears to its page. */
export interface Guise {
  /** Empty: the fleet's own. */
  readonly userAgent: string;
  readonly isMobile: boolean;
  /** It behaves as the window the visitor is working in, which a page that is typed into must. */
  readonly hasFocus: boolean;
}

const OWN: Guise = { userAgent: '', isMobile: false, hasFocus: false };

/** What a tab appears as. Changes are told to the browser; a page that needs none costs nothing. */
export class Wardrobe {
  readonly #session: CDPSession;
  readonly #fleetUserAgent: string;
  #worn = OWN;
  #told: Protocol.Emulation.SetUserAgentOverrideRequest | undefined;

  constructor(session: CDPSession, fleetUserAgent: string) {
    this.#session = session;
    this.#fleetUserAgent = fleetUserAgent;
    session.on('sessionattached', (part: CDPSession) => this.#tellPart(part));
  }

  get worn(): Guise {
    return this.#worn;
  }

  /** Pixels of a picture for one of the page. */
  get density(): number {
    return this.#worn.isMobile ? MOBILE.deviceScaleFactor : 1;
  }

  /** Changes into the guise, out of whatever was worn before. */
  async wear(guise: Guise): Promise<void> {
    const before = this.#worn;
    this.#worn = guise;
    const isSameDevice = before.isMobile === guise.isMobile;
    const changes: Promise<unknown>[] = [];
    if (!isSameDevice) changes.push(this.#changeDevice(guise.isMobile));
    if (!isSameDevice || before.userAgent !== guise.userAgent) changes.push(this.#changeUserAgent(guise));
    if (before.hasFocus !== guise.hasFocus) {
      changes.push(this.#session.send('Emulation.setFocusEmulationEnabled', { enabled: guise.hasFocus }));
    }
    await Promise.all(changes);
  }

  async #changeDevice(isMobile: boolean): Promise<void> {
    await Promise.all([
      isMobile
        ? this.#session.send('Emulation.setDeviceMetricsOverride', MOBILE)
        : this.#session.send('Emulation.clearDeviceMetricsOverride'),
      this.#session.send('Emulation.setTouchEmulationEnabled', {
        enabled: isMobile,
        ...(isMobile ? { maxTouchPoints: TOUCH_POINTS } : {}),
      }),
    ]);
  }

  async #changeUserAgent({ userAgent, isMobile }: Guise): Promise<void> {
    const own = isMobile ? `${this.#fleetUserAgent} ${MOBILE_MARK}` : '';
    const shown = userAgent === '' ? own : userAgent;
    this.#told = shown === '' ? undefined : tellingOf(shown);
    await Promise.all([
      // An empty one gives the browser its own back.
      this.#session.send('Emulation.setUserAgentOverride', this.#told ?? { userAgent: '' }),
      this.#session.send('Target.setAutoAttach', {
        autoAttach: true,
        waitForDebuggerOnStart: this.#told !== undefined,
        flatten: true,
      }),
    ]);
  }

  /** Workers, and frames of other sites, are told for themselves, before their scripts run. */
  #tellPart(part: CDPSession): void {
    if (this.#told === undefined) return;
    // Both at once, in this order; a part that is gone meanwhile has nothing to be told.
    part.send('Emulation.setUserAgentOverride', this.#told).catch(() => undefined);
    part.send('Runtime.runIfWaitingForDebugger').catch(() => undefined);
  }
}

interface Platform {
  readonly pattern: RegExp;
  readonly name: string;
  /** navigator.platform. */
  readonly platform: string;
}

const PLATFORMS: readonly Platform[] = [
  { pattern: /Android/, name: 'Android', platform: 'Linux armv81' },
  { pattern: /iPhone/, name: 'iOS', platform: 'iPhone' },
  { pattern: /iPad/, name: 'iOS', platform: 'iPad' },
  { pattern: /Windows/, name: 'Windows', platform: 'Win32' },
  { pattern: /Mac OS X|Macintosh/, name: 'macOS', platform: 'MacIntel' },
  { pattern: /CrOS/, name: 'Chrome OS', platform: 'Linux x86_64' },
  { pattern: /Linux/, name: 'Linux', platform: 'Linux x86_64' },
];

/** Everything a page can read the user agent from, saying the same: header, navigator and client hints. */
export function tellingOf(userAgent: string): Protocol.Emulation.SetUserAgentOverrideRequest {
  const system = PLATFORMS.find(({ pattern }) => pattern.test(userAgent));
  const version = /\bChrom(?:e|ium)\/(\d+)(?:\.[\d.]+)?/.exec(userAgent);
  const told = { userAgent, ...(system === undefined ? {} : { platform: system.platform }) };
  // Only browsers of this make send client hints; without metadata none are.
  if (version === null) return told;
  const [full = '', major = ''] = version;
  return { ...told, userAgentMetadata: hintsOf(userAgent, system?.name ?? '', major, full.split('/')[1] ?? major) };
}

function hintsOf(
  userAgent: string,
  platform: string,
  major: string,
  fullVersion: string,
): Protocol.Emulation.UserAgentMetadata {
  const maker = /\bEdg\//.test(userAgent) ? 'Microsoft Edge' : 'Google Chrome';
  const brandsOf = (version: string, greased: string) => [
    { brand: 'Chromium', version },
    { brand: maker, version },
    { brand: 'Not_A Brand', version: greased },
  ];
  return {
    brands: brandsOf(major, '24'),
    fullVersionList: brandsOf(fullVersion, '24.0.0.0'),
    platform,
    platformVersion: '',
    architecture: platform === 'Android' ? '' : 'x86',
    bitness: platform === 'Android' ? '' : '64',
    model: '',
    mobile: /\bMobile\b/.test(userAgent),
    wow64: false,
  };
}
