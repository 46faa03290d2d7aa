/** The name of a browser and its system, of what it says of itself (`User-Agent`). */

type Names = readonly (readonly [sign: RegExp, name: string])[];

/** In this order: most browsers name others besides themselves. */
const BROWSERS: Names = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome|Chromium)\//, 'Chrome'],
  [/\bVersion\/.* Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const SYSTEMS: Names = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

function nameIn(names: Names, agent: string): string | undefined {
  return names.find(([sign]) => sign.test(agent))?.[1];
}

/** `Firefox on Linux`; what it says itself, where nobody knows it. */
export function browserName(agent: string): string {
  if (agent === '') return 'Unknown browser';
  const browser = nameIn(BROWSERS, agent);
  if (browser === undefined) return agent.slice(0, 40);
  const system = nameIn(SYSTEMS, agent);
  return system === undefined ? browser : `${browser} on ${system}`;
}
