/** The Markdown files that the documentation has, in their order, with their addresses. */

export interface DocumentationSection {
  readonly title: string;
  /** From the root of the repository. */
  readonly files: readonly string[];
  /** True if its pages are for those who read data, programs that help them among them. */
  readonly isForReaders?: true;
}

/** The first page, at `/docs`: for somebody who was given an address and a key. */
export const HOME = 'docs/quickstart/get-data.md';

export const SECTIONS: readonly DocumentationSection[] = [
  {
    title: 'Start',
    isForReaders: true,
    files: [
      HOME,
      'docs/concepts.md',
      'docs/datasets.md',
      'docs/faq.md',
      'docs/demo-market.md',
      'docs/comparison.md',
    ],
  },
  {
    title: 'Read data',
    isForReaders: true,
    files: [
      'docs/queries.md',
      'docs/symbols.md',
      'docs/adjusted-prices.md',
      'docs/option-chains.md',
      'docs/bulk.md',
      'docs/versions.md',
      'docs/receipts.md',
      'docs/http.md',
      'docs/errors.md',
      'docs/quotas.md',
      'docs/console.md',
    ],
  },
  {
    title: 'Clients and tools',
    isForReaders: true,
    files: [
      'clients/python/README.md',
      'docs/clients/typescript.md',
      'docs/recipes.md',
      'docs/delta-sharing.md',
      'docs/agents.md',
      'conformance/README.md',
    ],
  },
  {
    title: 'What rows mean',
    isForReaders: true,
    files: [
      'docs/rules/README.md',
      'docs/rules/equities.md',
      'docs/rules/options.md',
      'docs/rules/futures.md',
      'docs/rules/adjustment-factors.md',
      'docs/rules/adjusted-rows.md',
      'docs/rules/securities.md',
      'docs/rules/longer-bars.md',
      'docs/rules/conditions.md',
    ],
  },
  {
    title: 'Load and publish',
    files: [
      'docs/quickstart/own-data.md',
      'docs/ingest.md',
      'docs/vendor-files.md',
      'docs/vendors/algoseek.md',
      'docs/vendors/alpha-vantage.md',
      'docs/vendors/barchart.md',
      'docs/vendors/cboe-datashop.md',
      'docs/vendors/databento.md',
      'docs/vendors/firstrate-data.md',
      'docs/vendors/ivolatility.md',
      'docs/vendors/lobster.md',
      'docs/vendors/massive.md',
      'docs/vendors/nasdaq.md',
      'docs/vendors/nyse.md',
      'docs/vendors/own-files.md',
      'docs/vendors/quandl.md',
      'docs/vendors/stooq.md',
      'docs/vendors/tick-data.md',
      'docs/vendors/yahoo-finance.md',
      'docs/nights.md',
      'docs/import-lean.md',
      'docs/derive.md',
      'docs/publications.md',
      'docs/lake.md',
      'docs/dataset-definitions.md',
    ],
  },
  {
    title: 'Run a server',
    files: [
      'docs/install.md',
      'docs/quickstart/production.md',
      'docs/operation.md',
      'docs/security.md',
      'docs/settings.md',
      'docs/command-line.md',
      'docs/administration.md',
      'docs/file-delivery.md',
      'docs/backup.md',
      'docs/postgresql.md',
      'docs/object-storage.md',
      'docs/clickhouse.md',
      'deploy/README.md',
      'docs/upgrade.md',
      'docs/sizing.md',
    ],
  },
  { title: 'Releases', files: ['CHANGELOG.md'] },
];

export const FILES: readonly string[] = SECTIONS.flatMap(({ files }) => files);

/** The name of a page below `/docs`, such as `rules/equities`; '' of the first one. */
export function pageName(file: string): string {
  if (file === HOME) return '';
  return file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replace(/\/README$/, '')
    .toLowerCase();
}

/** The path of a page on a server. */
export function pagePath(file: string): string {
  const name = pageName(file);
  return name === '' ? '/docs' : `/docs/${name}`;
}

/** The path of the Markdown that a page was made of. */
export function sourcePath(file: string): string {
  return `/docs/${pageName(file) || 'index'}.md`;
}
