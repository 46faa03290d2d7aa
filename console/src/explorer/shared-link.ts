/** The address of the Explorer as others should get it: it runs, and reads the version that is read here. */

/** `version` null: whatever is current when it is opened. */
export function sharedLink(address: string, version: string | null): string {
  const url = new URL(address);
  if (version !== null) url.searchParams.set('version', version);
  url.searchParams.set('run', 'true');
  url.searchParams.delete('tab');
  return url.href;
}
