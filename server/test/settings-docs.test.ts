import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../src/base/errors.ts';
import { legalSetting, type Setting } from '../src/schema/setting.ts';
import { readConfig, SETTINGS } from '../src/settings/config.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/settings.md'), 'utf8');
const rows = [...page.matchAll(/^\| `([A-Z\d_]+)` \| (.*?) \| (.*?) \| (.*?) \|$/gm)];

/** A default as the page shows it. */
function shown(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '';
  return `\`${Array.isArray(value) ? value.join(',') : value}\``;
}

describe('docs/settings.md', () => {
  it('lists every setting with its default, legal values and purpose, and nothing else', () => {
    const documented = rows.map(([, name, initial, legal, help]) => [name, initial, legal, help]);
    const expected = Object.values<Setting<unknown>>(SETTINGS).map((each) => [
      each.environment,
      shown(each.default),
      legalSetting(each),
      each.help,
    ]);
    expect(documented).toEqual(expected);
  });
});

describe('readConfig', () => {
  it('takes the defaults without an environment', () => {
    expect(readConfig({})).toMatchObject({ host: '127.0.0.1', port: 8080, queriesMax: 3 });
  });

  it('reads what is set', () => {
    const config = readConfig({ PORT: '0', TICKLAKE_PREFIXES: '/v1,/data/v2' });
    expect(config).toMatchObject({ port: 0, prefixes: ['/v1', '/data/v2'] });
  });

  it('writes origins as browsers do', () => {
    const config = readConfig({
      TICKLAKE_CORS_ORIGINS: 'https://App.Example.com:443, http://localhost:3000',
      TICKLAKE_PUBLIC_URL: 'http://Data_1.example.com:80',
    });
    expect(config.corsOrigins).toEqual(['https://app.example.com', 'http://localhost:3000']);
    expect(config.publicUrl).toBe('http://data_1.example.com');
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80a'],
    ['HOST', ''],
    ['TICKLAKE_PREFIXES', 'v1'],
    ['TICKLAKE_PREFIXES', ''],
    ['TICKLAKE_PREFIXES', ','],
    ['TICKLAKE_PREFIXES', '/v1,/v1'],
    ['TICKLAKE_VENDOR_AGGREGATION_LOGIC', 'industry_std'],
    ['TICKLAKE_PUBLIC_URL', 'data.example.com/'],
    ['TICKLAKE_PUBLIC_URL', 'ftp://data.example.com'],
    ['TICKLAKE_PUBLIC_URL', 'https://user@data.example.com'],
    ['TICKLAKE_CORS_ORIGINS', '*'],
    ['TICKLAKE_CORS_ORIGINS', 'https://app.example.com/page'],
    ['TICKLAKE_CORS_ORIGINS', 'https://app.example.com,null'],
    ['TICKLAKE_LOG_LEVEL', 'loud'],
    ['TICKLAKE_QUERY_TIMEOUT_MS', '1e9'],
    ['TICKLAKE_VALIDATION_DETAIL', 'object'],
  ])('refuses %s=%s and says what is legal', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(UsageError);
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must be `));
  });
});
