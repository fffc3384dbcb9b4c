import type { CDPSession, Protocol } from 'puppeteer-core';

/** A medium-sized phone, in CSS pixels. */
const MOBILE = { width: 390, height: 844, deviceScaleFactor: 2, mobile: true } as const;
const TOUCH_POINTS = 5;
/** User agent token by which sites detect phones (MDN, "Browser detection using the user agent"). */
const MOBILE_TOKEN = 'Mobile';

/** The device that a tab emulates. */
export interface DeviceProfile {
  /** Empty: the configured user agent. */
  readonly userAgent: string;
  readonly isMobile: boolean;
  /** Whether the page has focus, which keyboard input requires. */
  readonly hasFocus: boolean;
}

const DEFAULT_PROFILE: DeviceProfile = { userAgent: '', isMobile: false, hasFocus: false };

/** Emulates a device in one tab. Sends only changes to the browser, so an unchanged profile costs nothing. */
export class DeviceEmulation {
  readonly #session: CDPSession;
  readonly #fleetUserAgent: string;
  #current = DEFAULT_PROFILE;
  #override: Protocol.Emulation.SetUserAgentOverrideRequest | undefined;

  constructor(session: CDPSession, fleetUserAgent: string) {
    this.#session = session;
    this.#fleetUserAgent = fleetUserAgent;
    session.on('sessionattached', (target: CDPSession) => this.#overrideTarget(target));
  }

  get current(): DeviceProfile {
    return this.#current;
  }

  /** Screenshot pixels per CSS pixel. */
  get deviceScaleFactor(): number {
    return this.#current.isMobile ? MOBILE.deviceScaleFactor : 1;
  }

  /** Replaces the previous profile. */
  async apply(profile: DeviceProfile): Promise<void> {
    const before = this.#current;
    this.#current = profile;
    const isSameDevice = before.isMobile === profile.isMobile;
    const changes: Promise<unknown>[] = [];
    if (!isSameDevice) changes.push(this.#changeDevice(profile.isMobile));
    if (!isSameDevice || before.userAgent !== profile.userAgent) changes.push(this.#changeUserAgent(profile));
    if (before.hasFocus !== profile.hasFocus) {
      changes.push(this.#session.send('Emulation.setFocusEmulationEnabled', { enabled: profile.hasFocus }));
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

  async #changeUserAgent({ userAgent, isMobile }: DeviceProfile): Promise<void> {
    const fleetMobile = isMobile ? `${this.#fleetUserAgent} ${MOBILE_TOKEN}` : '';
    const shown = userAgent === '' ? fleetMobile : userAgent;
    this.#override = shown === '' ? undefined : userAgentOverride(shown);
    await Promise.all([
      // An empty value restores the default of the browser.
      this.#session.send('Emulation.setUserAgentOverride', this.#override ?? { userAgent: '' }),
      this.#session.send('Target.setAutoAttach', {
        autoAttach: true,
        waitForDebuggerOnStart: this.#override !== undefined,
        flatten: true,
      }),
    ]);
  }

  /** Applies the user agent to a worker or a cross-site frame before its scripts run. */
  #overrideTarget(target: CDPSession): void {
    if (this.#override === undefined) return;
    // Sent together, in this order. The target may have been closed meanwhile.
    target.send('Emulation.setUserAgentOverride', this.#override).catch(() => undefined);
    target.send('Runtime.runIfWaitingForDebugger').catch(() => undefined);
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

/** Returns a consistent override of the user agent header, navigator and client hints. */
export function userAgentOverride(userAgent: string): Protocol.Emulation.SetUserAgentOverrideRequest {
  const matched = PLATFORMS.find(({ pattern }) => pattern.test(userAgent));
  const version = /\bChrom(?:e|ium)\/(\d+)(?:\.[\d.]+)?/.exec(userAgent);
  const override = { userAgent, ...(matched === undefined ? {} : { platform: matched.platform }) };
  // Only Chromium browsers send client hints; without metadata none are sent.
  if (version === null) return override;
  const [full = '', major = ''] = version;
  return {
    ...override,
    userAgentMetadata: clientHints(userAgent, matched?.name ?? '', major, full.split('/')[1] ?? major),
  };
}

function clientHints(
  userAgent: string,
  platform: string,
  major: string,
  fullVersion: string,
): Protocol.Emulation.UserAgentMetadata {
  const vendor = /\bEdg\//.test(userAgent) ? 'Microsoft Edge' : 'Google Chrome';
  const brandsOf = (version: string, greaseVersion: string) => [
    { brand: 'Chromium', version },
    { brand: vendor, version },
    { brand: 'Not_A Brand', version: greaseVersion },
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
