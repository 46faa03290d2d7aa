/** Asks which securities a text may mean, once it has stopped changing. */
import { skipToken, useQuery } from '@tanstack/react-query';
import type { FoundSecurities, FoundSecurity } from '@ticklake/client';
import { getJson } from '../api/client';
import { ownCatalogueQuery } from '../api/queries';
import { useSettled } from './use-settled';

const SETTLE_MS = 200;
const FOUND_MAX = 8;
/** The dataset that securities are found in, and that an account needs a rule for. */
const SECURITY_MASTER = 'eq_sec_master';
const NONE: readonly FoundSecurity[] = [];

/**
 * None where `term` is empty, and where the account may not read who is who: identifiers can be typed without
 * that.
 */
export function useFoundSecurities(term: string): readonly FoundSecurity[] {
  const own = useQuery(ownCatalogueQuery);
  const mayAsk = own.data?.some(({ dataset_text_id }) => dataset_text_id === SECURITY_MASTER);
  const settled = useSettled(term, SETTLE_MS);
  const path = `/symbology/search?q=${encodeURIComponent(settled)}&limit=${FOUND_MAX}`;
  const { data } = useQuery({
    queryKey: ['securities', settled],
    queryFn:
      settled === '' || !mayAsk
        ? skipToken
        : ({ signal }) => getJson<FoundSecurities>(path, signal),
    // What was found for the beginning of a term goes on being shown until there is better.
    placeholderData: (found, query) =>
      settled.startsWith(String(query?.queryKey[1])) ? found : undefined,
  });
  const isOfTerm = settled !== '' && term.startsWith(settled);
  return isOfTerm ? (data?.securities ?? NONE) : NONE;
}
