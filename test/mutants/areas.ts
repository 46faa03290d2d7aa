/**
 * The folders whose mutants are counted, and for each the tests of the whole product that guard it
 * beside its own. Only quick ones that depend on no time limit, so that a busy machine kills nothing.
 */
export const AREAS: Readonly<Record<string, readonly string[]>> = {
  access: [
    'test/people/sign-in.test.ts',
    'test/people/sessions.test.ts',
    'test/people/own-account.test.ts',
    'test/network/allow-list.test.ts',
    'test/admin/admin-endpoints.test.ts',
  ],
  admin: [
    'test/admin/administration-docs.test.ts',
    'test/admin/admin-endpoints.test.ts',
    'test/admin/audit-log.test.ts',
    'test/admin/bad-input.test.ts',
    'test/contract/openapi.test.ts',
    'test/people/people.test.ts',
    'test/people/own-account.test.ts',
    'test/people/roles.test.ts',
  ],
  quota: [
    'test/quota/quotas.test.ts',
    'test/quota/ledger.test.ts',
    'test/quota/full-store.test.ts',
  ],
  plan: [
    'test/entitlements/rules.test.ts',
    'test/entitlements/hints.test.ts',
    'test/entitlements/entitlements.test.ts',
    'test/console-api/scan.test.ts',
  ],
  lake: [
    'test/lake/lake.test.ts',
    'test/lake/publication.test.ts',
    'test/lake/utc-times.test.ts',
    'test/contract/catalogue.test.ts',
  ],
  formats: ['src/response/render-page.test.ts', 'test/contract/formats.test.ts'],
  response: [
    'test/contract/formats.test.ts',
    'test/contract/revalidation.test.ts',
    'test/contract/page-cache.test.ts',
    'test/walk/read-ahead.test.ts',
  ],
  market: ['test/market/equity-bars.test.ts'],
};
