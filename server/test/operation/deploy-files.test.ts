/** The files of `deploy/` name what there is: settings, metrics, other files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

  it('alert by the rules of docs/operation.md', () => {
    const [, rules = ''] = /```yaml\n([\s\S]*?)```/.exec(docsText('operation.md')) ?? [];
    expect(text('prometheus/alerts.yml')).toBe(rules);
  });
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
