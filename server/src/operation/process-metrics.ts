/** Metrics of the process, under the names that dashboards for Node.js expect. */
import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | null = null;

/**
 * One registry for all servers of a process: what prom-client observes the process with can never be
 * closed, so each further one would stay for good.
 */
export function processMetrics(): Registry {
  if (registry === null) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
