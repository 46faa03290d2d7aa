/** The services as a request takes them: once, with the definitions that are current when it begins. */
import type { Services } from './endpoint.ts';

/** The last ones that were made of others, which stay the same for as long as the catalogue does. */
const made = new WeakMap<Services, Services>();

export function servicesNow(services: Services): Services {
  const { current } = services.catalogs;
  if (services.catalog === current) return services;
  const known = made.get(services);
  if (known?.catalog === current) return known;
  const now = { ...services, catalog: current };
  made.set(services, now);
  return now;
}
