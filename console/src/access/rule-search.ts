import type { DataAccessRule } from '@ticklake/client';

/** By part of a name or id, or by a whole identifier. */
export function isRuleFound(rule: DataAccessRule, text: string): boolean {
  const searched = text.trim().toLowerCase();
  const names = [rule.dataset_id, rule.dataset_name, rule.dataset_text_id ?? ''];
  return (
    names.some((name) => name.toLowerCase().includes(searched)) ||
    rule.universe_identifiers.some((identifier) => identifier.toLowerCase() === searched)
  );
}
