/**
 * Returns a function that makes a fixture once per workspace and arguments: for routes that only read it. A fixture that could not be made
 * is made again by the next call.
 */
export function oncePerWorkspace<
  Servers extends { readonly workspace: { readonly id: string } },
  Args extends unknown[],
  T,
>(make: (servers: Servers, ...args: Args) => Promise<T>): (servers: Servers, ...args: Args) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (servers, ...args) => {
    const key = JSON.stringify([servers.workspace.id, ...args]);
    const fixture = made.get(key) ?? make(servers, ...args);
    made.set(key, fixture);
    fixture.catch(() => made.delete(key));
    return fixture;
  };
}
