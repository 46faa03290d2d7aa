import type { DataAccessRule } from '@ticklake/client';

function isAbout(rule: DataAccessRule, text: string): boolean {
  const names = [rule.dataset_id, rule.dataset_name, rule.dataset_text_id ?? ''];
  return (
    names.some((name) => name.toLowerCase().includes(text)) ||
    rule.universe_identifiers.some((identifier) => identifier.toLowerCase() === text)
  );
}

export function matchingRules(
  rules: readonly DataAccessRule[],
  text: string,
): readonly DataAccessRule[] {
  const searched = text.trim().toLowerCase();
  return searched === '' ? rules : rules.filter((rule) => isAbout(rule, searched));
}
