/**
 * Starts to count the CPU time of this process; the function returned reads it, in ms. For limits on what an algorithm costs: unlike
 * wall time, CPU time does not grow with what else runs on the machine.
 */
export function countCpuMs(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
}
