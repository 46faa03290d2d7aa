/**
 * Delta Sharing, protocol version 1: the datasets that an account may read, as tables for tools that
 * speak it. The profile's endpoint is the prefix with `/delta-sharing`.
 */
import type { FileExchange, SharingEndpoint } from './endpoint.ts';
import { listChanges } from './sharing-changes.ts';
import { listAllTables, listSchemas, listShares, listTables, showShare } from './sharing-lists.ts';
import { queryTable, showMetadata, showVersion } from './sharing-query.ts';

const SHARES = '/delta-sharing/shares';
const SHARE = `${SHARES}/:share`;
const TABLES = `${SHARE}/schemas/:schema/tables`;
const TABLE = `${TABLES}/:table`;

type Handler = (exchange: FileExchange) => unknown;

function endpoint(
  method: SharingEndpoint['method'],
  path: string,
  [operationId, summary]: readonly [string, string],
  handle: Handler,
): SharingEndpoint {
  return {
    ...{ method, path, operationId, summary, handle },
    errorStatuses: [404, 504],
    isPublic: false,
    takesQuery: true,
    isSharing: true,
  };
}

export const SHARING_ENDPOINTS: readonly SharingEndpoint[] = [
  endpoint('GET', SHARES, ['listShares', 'The share of the account'], listShares),
  endpoint('GET', SHARE, ['showShare', 'The same by its name'], showShare),
  endpoint('GET', `${SHARE}/schemas`, ['listSchemas', 'The data groups in it'], listSchemas),
  endpoint('GET', TABLES, ['listTables', 'The datasets of a data group'], listTables),
  endpoint('GET', `${SHARE}/all-tables`, ['listAllTables', 'All datasets in it'], listAllTables),
  endpoint('GET', `${TABLE}/version`, ['showTableVersion', 'The version of a table'], showVersion),
  endpoint('HEAD', TABLE, ['headTable', 'The same in its old form'], showVersion),
  endpoint('GET', `${TABLE}/metadata`, ['showTable', 'The columns of a table'], showMetadata),
  endpoint('POST', `${TABLE}/query`, ['queryTable', 'The files of a table'], queryTable),
  endpoint(
    ...(['GET', `${TABLE}/changes`] as const),
    ['listTableChanges', 'The files that versions of a table removed and added'],
    listChanges,
  ),
];
