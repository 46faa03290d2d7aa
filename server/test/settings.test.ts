import { describe, expect, it } from 'vitest';
import { DISK_SHARES } from '../src/base/budgets.ts';
import { UsageError } from '../src/base/errors.ts';
import { readConfig, warningOfSettings } from '../src/settings/config.ts';

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

  it('splits the budgets by fixed shares', () => {
    const shares = Object.values(DISK_SHARES).reduce((sum, { percent }) => sum + percent, 0);
    expect(shares).toBe(100);
    const config = readConfig({
      TICKLAKE_DISK_BYTES_MAX: '100000000000',
      TICKLAKE_MEMORY_BYTES_MAX: '300000000',
    });
    expect(config).toMatchObject({
      ...{ retentionBytesMax: 22e9, openPublicationBytesMax: 20e9, stagingBytesMax: 16e9 },
      ...{
        bulkDiskBytesMax: 6e9,
        spoolBytesMax: 10e9,
        uploadBytesMax: 8e9,
        lakeCacheBytesMax: 4e9,
      },
      ...{ walkDiskBytesMax: 4e9, walkDiskBytesPerAccountMax: 1e9, answerDiskBytesMax: 4e9 },
      ...{ pageCacheBytes: 1e8, unsentBytesMax: 2e8, unsentBytesPerAccountMax: 1e8 },
    });
    expect(readConfig({ TICKLAKE_UPLOAD_BYTES_MAX: '0' }).uploadBytesMax).toBe(0);
  });
});

it('tells names that look like settings and are none', () => {
  const env = { PORT: '0', TICKLAKE_HOME: 'h', TICKLAKE_KEY: 'k', PATH: '/bin' };
  expect(warningOfSettings(env)).toBeNull();
  const [mistyped, former] = ['TICKLAKE_ENGINE_MEMORY', 'TICKLAKE_UNSENT_BYTES_MAX'];
  expect(warningOfSettings({ ...env, [mistyped]: '1', [former]: '1' })).toBe(
    `no such settings, so they change nothing: ${mistyped}, ${former}`,
  );
});
