/** The endpoints of administrative operations, made from their tables. */
import { LAKE_OPERATIONS, OPERATIONS } from '../admin/operations.ts';
import type { KeyedEndpoint } from './endpoint.ts';
import { lakeEndpoint } from './lake-endpoint.ts';
import { operationEndpoint } from './operation-endpoint.ts';

export const ADMIN_ENDPOINTS: readonly KeyedEndpoint[] = [
  ...OPERATIONS.map((operation) => operationEndpoint(operation, { isAdminOnly: true })),
  ...LAKE_OPERATIONS.map(lakeEndpoint),
];
