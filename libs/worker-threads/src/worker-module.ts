/**
 * Returns the URL of a worker's module beside the module that starts it: the source where that one runs from source.
 *
 * @param path relative path without its extension, such as `./read-worker`
 * @param importer `import.meta.url` of the module that starts the worker
 */
export function workerModule(path: string, importer: string): URL {
  return new URL(`${path}${importer.endsWith('.ts') ? '.ts' : '.js'}`, importer);
}
