/**
 * A jest environment without a `vm` context: tests run in the worker's own realm, as services run in their processes. What jest replaces
 * on the global object for one test file, and what the file changes in `process.env`, is restored at the end of the file.
 */
class NativeEnvironment {
  readonly global = globalThis;
  // jest-runtime calls these at the start and end of a file. Nothing is mocked here.
  readonly fakeTimers = null;
  readonly fakeTimersModern = null;
  readonly moduleMocker = { clearMocksOnScope() {}, restoreAllMocks() {} };

  readonly #console = globalThis.console;
  readonly #exit = process.exit;
  readonly #env = { ...process.env };
  readonly #symbols = new Set(Object.getOwnPropertySymbols(globalThis));

  exportConditions(): string[] {
    return ['tidemark-source', 'node', 'node-addons'];
  }

  /** Returns no context: code that needs one (jest's own module loader, its coverage) cannot be used. */
  getVmContext(): null {
    return null;
  }

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    globalThis.console = this.#console;
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    // Jest keeps a file's tests under symbols of the global object; they would hold its memory until the worker ends.
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (!this.#symbols.has(symbol)) Reflect.deleteProperty(globalThis, symbol);
  }
}

// biome-ignore lint/style/noDefaultExport: jest loads an environment so.
export default NativeEnvironment;
