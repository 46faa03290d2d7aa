/** The ways in which rows take their place among those that are published. */
export const PUBLISH_MODES = ['replace', 'replace-identifiers', 'append', 'replace-all'] as const;
/**
 * `replace`: partitions that the rows fall into are replaced, others stay. `replace-identifiers`: in
 * these partitions the rows of the identifiers are replaced that the new ones have. `append`: the rows
 * are merged into them, behind the rows of equal keys. `replace-all`: other partitions are dropped.
 */
export type PublishMode = (typeof PUBLISH_MODES)[number];
