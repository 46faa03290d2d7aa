/**
 * The folders whose mutants are counted, and for each the tests of the whole product that guard it
 * beside its own. Only quick ones that depend on no time limit, so that a busy machine kills nothing.
 */
export const AREAS: Readonly<Record<string, readonly string[]>> = {
  access: [
    'server/test/people/sign-in.test.ts',
    'server/test/people/sessions.test.ts',
    'server/test/people/own-account.test.ts',
    'server/test/network/allow-list.test.ts',
    'server/test/admin/admin-endpoints.test.ts',
  ],
  admin: [
    'server/test/admin/administration-docs.test.ts',
    'server/test/admin/admin-endpoints.test.ts',
    'server/test/admin/audit-log.test.ts',
    'server/test/admin/bad-input.test.ts',
    'server/test/contract/openapi.test.ts',
    'server/test/people/people.test.ts',
    'server/test/people/own-account.test.ts',
    'server/test/people/roles.test.ts',
  ],
  quota: [
    'server/test/quota/quotas.test.ts',
    'server/test/quota/ledger.test.ts',
    'server/test/quota/full-store.test.ts',
  ],
  plan: [
    'server/test/entitlements/rules.test.ts',
    'server/test/entitlements/hints.test.ts',
    'server/test/entitlements/entitlements.test.ts',
    'server/test/console-api/scan.test.ts',
  ],
  lake: [
    'server/test/lake/lake.test.ts',
    'server/test/lake/publication.test.ts',
    'server/test/lake/utc-times.test.ts',
    'server/test/contract/catalogue.test.ts',
  ],
  formats: ['server/src/response/render-page.test.ts', 'server/test/contract/formats.test.ts'],
  response: [
    'server/test/contract/formats.test.ts',
    'server/test/contract/revalidation.test.ts',
    'server/test/contract/page-cache.test.ts',
  ],
  delivery: [
    'server/test/delivery/bulk.test.ts',
    'server/test/delivery/left-downloads.test.ts',
    'server/test/settings-docs.test.ts',
    'server/test/sharing/sharing.test.ts',
  ],
  receipts: [
    'server/test/receipts/receipts.test.ts',
    'server/test/receipts/replayed-requests.test.ts',
    'server/test/receipts/receipt-commands.test.ts',
  ],
  market: ['market/test/equity-bars.test.ts'],
};

/** Where the sources of an area are, from the root of the project. */
export function areaFolder(area: string): string {
  return area === 'market' ? 'market/src' : `server/src/${area}`;
}
