/** The files of `deploy/` name what there is: settings, metrics, other files. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import {
  type OperationListener,
  openOperationListener,
} from '../../src/routes/operation-listener.ts';
import { SETTINGS } from '../../src/settings/config.ts';
import { docsText } from '../docs-table.ts';
import { openTestService, type TestService } from '../harness.ts';

const DEPLOY = join(import.meta.dirname, '../../../deploy');
const files = readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const text = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');
const KNOWN = new Set(Object.values(SETTINGS).map(({ environment }) => environment));
const BOARD = 'compose/grafana/dashboards/ticklake.json';

describe('files of deploy/', () => {
  it.each(files.filter((file) => /\.ya?ml$/.test(file)))('%s is YAML', (file) => {
    const documents = parseAllDocuments(readFileSync(file, 'utf8'), { merge: true });
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  });

  it('set nothing that is not a setting', () => {
    const named = files.flatMap(
      (file) => readFileSync(file, 'utf8').match(/\bTICKLAKE_\w+/g) ?? [],
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !KNOWN.has(name))).toEqual([]);
  });

  it('give each probe more time than a page takes, and more than one try', () => {
    const documents = parseAllDocuments(text('kubernetes/ticklake.yaml'));
    const { spec } = documents.map((each) => each.toJS()).find(({ kind }) => kind === 'Deployment');
    const [container] = spec.template.spec.containers;
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
      (name) => container[name],
    );
    for (const { timeoutSeconds, failureThreshold } of probes) {
      expect(timeoutSeconds).toBeGreaterThanOrEqual(2);
      expect(failureThreshold).toBeGreaterThanOrEqual(3);
    }
  });

  it('mount files that are there', () => {
    const { services } = parse(text('compose/compose.yaml'), { merge: true });
    const mounts = Object.values<{ volumes?: string[] }>(services).flatMap(
      ({ volumes = [] }) => volumes,
    );
    const own = mounts
      .map((mount) => String(mount.split(':')[0]))
      .filter((path) => /^\.\.?\/(?!files)/.test(path));
    expect(own.length).toBeGreaterThan(4);
    expect(own.filter((path) => !existsSync(join(DEPLOY, 'compose', path)))).toEqual([]);
  });

  it('pass requests on as the balancer of the tests does', () => {
    expect(text('nginx/nginx.conf')).toContain('include /etc/nginx/proxy.conf;');
    expect(text('compose/compose.yaml')).toContain('../nginx/proxy.conf:/etc/nginx/proxy.conf:ro');
  });

  it('alert by the rules of docs/operation.md; if not, run npm run build:docs', () => {
    const [, rules = ''] = /```yaml\n([\s\S]*?)```/.exec(docsText('operation.md')) ?? [];
    expect(text('prometheus/alerts.yml')).toBe(rules);
  });
});

/** Complaints of systemd about the unit, but for the program, which is not installed here. */
function unitProblems(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-unit-'));
  const unit = join(folder, 'ticklake.service');
  const start = /^ExecStart=\S+/m;
  writeFileSync(unit, text('systemd/ticklake.service').replace(start, 'ExecStart=/bin/true'));
  const { stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return stderr;
}

const hasSystemd = spawnSync('systemd-analyze', ['--version']).error === undefined;
if (!hasSystemd) console.warn('skipped: systemd-analyze is missing');

it.runIf(hasSystemd)('systemd knows every line of the unit', () => {
  expect(unitProblems()).toBe('');
});

it('commands have the user, the settings and the home of the unit', () => {
  const unit = text('systemd/ticklake.service');
  const command = text('systemd/ticklake');
  for (const [line, option] of [
    [/^User=(.*)$/m, '--uid='],
    [/^EnvironmentFile=(.*)$/m, '--property=EnvironmentFile='],
    [/^Environment=(TICKLAKE_HOME=.*)$/m, '--setenv='],
    [/^ExecStart=(.*\/node_modules\/)/m, ''],
  ] as const) {
    const [, value] = line.exec(unit) ?? [];
    expect(command).toContain(`${option}${value}`);
  }
});

/** Input that fires each alert: series by the minute, when the alert is due, and its labels. */
const NODE = { job: 'ticklake', instance: 'node' };
const FIRING: Readonly<
  Record<string, { series: Readonly<Record<string, string>>; at?: string; labels?: object }>
> = {
  TicklakeDown: { series: { up: '0x10' }, labels: NODE },
  TicklakeNotReady: { series: { ticklake_ready: '0x10' }, labels: NODE },
  TicklakeWarning: {
    series: { 'ticklake_warnings{part="engine"}': '1x10' },
    labels: { ...NODE, part: 'engine' },
  },
  TicklakeErrors: {
    series: {
      'ticklake_requests_total{status="200"}': '0+95x30',
      'ticklake_requests_total{status="503"}': '0+5x30',
    },
    at: '15m',
  },
  TicklakeSlow: {
    series: {
      'ticklake_request_duration_seconds_bucket{class="2xx",le="10"}': '0+90x30',
      'ticklake_request_duration_seconds_bucket{class="2xx",le="30"}': '0+100x30',
      'ticklake_request_duration_seconds_bucket{class="2xx",le="+Inf"}': '0+100x30',
    },
    at: '20m',
  },
  TicklakeEngineFails: { series: { ticklake_engine_errors_total: '0x5 1x5' }, labels: NODE },
  TicklakeWorkersDie: { series: { ticklake_worker_deaths_total: '0x5 1x5' }, labels: NODE },
  TicklakeStorageFails: { series: { ticklake_storage_errors_total: '0x5 1x5' }, labels: NODE },
  TicklakeDataDamaged: { series: { ticklake_damaged_parts: '1 _x10' }, labels: NODE },
  TicklakeDataLate: {
    series: { ticklake_dataset_published_age_seconds: '400000x10' },
    labels: NODE,
  },
  TicklakeLoadFailed: {
    ...{ series: { ticklake_dataset_last_load_failed: '1x70' }, at: '65m', labels: NODE },
  },
  TicklakeDiskFull: {
    series: { ticklake_disk_free_bytes: '4x60', ticklake_disk_bytes: '100x60' },
    ...{ at: '40m', labels: NODE },
  },
  TicklakeBackupOld: { series: {}, at: '65m' },
  TicklakeUsageWaits: { series: { ticklake_usage_pending_seconds: '11x10' }, labels: NODE },
  TicklakeStoreFails: { series: { ticklake_store_failed_writes_total: '0x5 2x5' }, labels: NODE },
};

/** The name of a series with the labels that a scrape adds. */
function scraped(name: string): string {
  const added = Object.entries(NODE).map(([label, value]) => `${label}="${value}"`);
  const [metric = '', labels] = name.split(/[{}]/);
  return `${metric}{${[...(labels ? [labels] : []), ...added].join(',')}}`;
}

/** Problems that promtool (Debian package prometheus) finds when it tests the rules. */
function evaluate(tests: readonly object[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-alerts-'));
  const file = join(folder, 'tests.yml');
  const rules = join(DEPLOY, 'prometheus/alerts.yml');
  writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }));
  const { stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return `${stdout}${stderr}`;
}

function isPromtoolMissing(): boolean {
  const isMissing = spawnSync('promtool', ['--version']).error !== undefined;
  if (isMissing) console.warn('skipped: promtool is missing (Debian: apt-get install prometheus)');
  return isMissing;
}

describe('alerts', () => {
  const { groups } = parse(text('prometheus/alerts.yml')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  const names = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const inputOf = (series: Readonly<Record<string, string>>) =>
    Object.entries(series).map(([name, values]) => ({ series: scraped(name), values }));

  it('are each tried', () => expect(Object.keys(FIRING)).toEqual(names));

  it.skipIf(isPromtoolMissing())(
    'fire by the rules, each of them, and none where all is well',
    () => {
      const firing = Object.entries(FIRING).map(
        ([alertname, { series, at = '9m', labels = {} }]) => ({
          interval: '1m',
          input_series: inputOf(series),
          alert_rule_test: [{ eval_time: at, alertname, exp_alerts: [{ exp_labels: labels }] }],
        }),
      );
      const quiet = {
        interval: '1m',
        input_series: inputOf({
          ...{ up: '1x90', ticklake_ready: '1x90', ticklake_warnings: '0x90' },
          'ticklake_requests_total{status="200"}': '0+100x90',
          'ticklake_request_duration_seconds_bucket{class="2xx",le="10"}': '0+100x90',
          'ticklake_request_duration_seconds_bucket{class="2xx",le="+Inf"}': '0+100x90',
          ...{ ticklake_engine_errors_total: '3x90', ticklake_storage_errors_total: '3x90' },
          ...{ ticklake_worker_deaths_total: '1x90' },
          ...{ ticklake_damaged_parts: '0x90', ticklake_dataset_published_age_seconds: '0+60x90' },
          ...{ ticklake_dataset_last_load_failed: '0x90', ticklake_disk_free_bytes: '50x90' },
          ...{ ticklake_disk_bytes: '100x90', ticklake_backup_age_seconds: '0+60x90' },
          ...{ ticklake_usage_pending_seconds: '1x90', ticklake_store_failed_writes_total: '2x90' },
        }),
        alert_rule_test: names.map((alertname) => ({
          eval_time: '85m',
          alertname,
          exp_alerts: [],
        })),
      };
      expect(evaluate([...firing, quiet])).toMatch(/SUCCESS\s*$/);
    },
  );
});

describe('the board', () => {
  let service: TestService;
  let operation: OperationListener;
  beforeAll(async () => {
    service = await openTestService({ operationPort: 0 });
    operation = (await openOperationListener(service.services, () => 'ok')) as OperationListener;
  });
  afterAll(async () => {
    await operation.close();
    await service.close();
  });

  it('shows metrics that a server has', async () => {
    const shown = await (await fetch(`${operation.url}/metrics`)).text();
    const known = new Set([...shown.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
    const used = text(BOARD).match(/\b(?:ticklake|process|nodejs)_\w+/g) ?? [];
    expect(used.length).toBeGreaterThan(15);
    expect(used.filter((name) => !known.has(name.replace(/_bucket$/, '')))).toEqual([]);
  });
});
