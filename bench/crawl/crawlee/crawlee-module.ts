import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The part of Crawlee's interface that the benchmarks use (Crawlee 3). */
export interface CrawleeModule {
  readonly CheerioCrawler: CrawlerClass<CheerioContext>;
  readonly AdaptivePlaywrightCrawler: CrawlerClass<AdaptiveContext>;
  readonly Configuration: new (options: Readonly<Record<string, unknown>>) => object;
  readonly log: { setLevel(level: number): void };
  readonly LogLevel: { readonly OFF: number };
}

type CrawlerClass<Context> = new (
  options: Readonly<Record<string, unknown>> & { requestHandler(context: Context): Promise<void> },
  configuration: object,
) => Crawler;

interface Crawler {
  readonly stats?: { readonly state?: Readonly<Record<string, unknown>> };
  run(urls: readonly string[]): Promise<unknown>;
  getData(): Promise<{ readonly items: readonly unknown[] }>;
}

/** A selection of Cheerio. */
interface Selection {
  text(): string;
  html(): string | null;
  first(): Selection;
}

export interface CheerioContext {
  readonly request: { readonly loadedUrl: string; readonly crawlDepth: number };
  readonly response: { readonly statusCode: number };
  readonly body: Buffer | string;
  readonly $: (selector: string) => Selection;
  pushData(row: object): Promise<void>;
  enqueueLinks(options: { readonly strategy: 'same-hostname' }): Promise<unknown>;
}

export interface AdaptiveContext {
  readonly request: { readonly url: string };
  parseWithCheerio(selector: string, timeoutMs: number): Promise<(selector: string) => Selection>;
  pushData(row: object): Promise<void>;
}

/** Loads a module of the folder that `npmPackage` installed Crawlee into. */
export async function loadFrom<Module>(folder: string, file: string): Promise<Module> {
  const loaded: Module = await import(pathToFileURL(join(folder, 'node_modules', file)).href);
  return loaded;
}

export const loadCrawlee = (folder: string): Promise<CrawleeModule> =>
  loadFrom<CrawleeModule>(folder, 'crawlee/index.mjs');
