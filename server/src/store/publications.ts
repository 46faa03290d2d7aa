/** Publications, as the ledger keeps them. */

/**
 * `unchanged`: there was nothing to publish, and that is no fault. `refused`: the data or the
 * command was at fault; `failed`: something else, or its process was interrupted. `rolled_back`:
 * published, and undone by a later publication.
 */
export const PUBLICATION_STATES = [
  'running',
  'published',
  'unchanged',
  'refused',
  'failed',
  'rolled_back',
] as const;
export type PublicationState = (typeof PUBLICATION_STATES)[number];

/** How a publication ends that changes no dataset. */
export type EndState = Extract<PublicationState, 'unchanged' | 'refused' | 'failed'>;

export const PUBLICATION_KINDS = ['load', 'withdrawal', 'rollback', 'derivation'] as const;
export type PublicationKind = (typeof PUBLICATION_KINDS)[number];

export interface NewPublication {
  readonly datasetIds: readonly string[];
  readonly kind: PublicationKind;
  /** The command that publishes, such as `ingest`. */
  readonly command: string;
  /** Who publishes, as the audit log names them. */
  readonly actor: string;
  /** Why, in the words of whoever publishes; null: nobody said. */
  readonly reason: string | null;
  /** Who the rows come from; null: nobody said. */
  readonly vendor: string | null;
  /**
   * The name of the life mark that its process holds while it runs; null: it is open for any
   * process until it is committed or abandoned.
   */
  readonly lifeMark: string | null;
  /** UTC, whole seconds, `Z`. */
  readonly startedAt: string;
}

/** A source of loaded rows. */
export interface PublicationSource {
  readonly datasetId: string;
  readonly name: string;
  readonly byteCount: number;
  /** In hexadecimal. */
  readonly sha256: string;
  /** How rows were computed from it, as JSON; null or absent: they were loaded. */
  readonly derivation?: string | null;
}

/** A source of a publication that stands. */
export interface PublishedSource extends Omit<PublicationSource, 'datasetId' | 'derivation'> {
  readonly publicationId: number;
}

/** A check of a definition that found something, as it is kept and shown. */
export interface PublicationCheck {
  readonly datasetId: string;
  readonly name: string;
  readonly severity: 'refuse' | 'warn';
  readonly count: number;
  /** The first ones, in words. */
  readonly examples: readonly string[];
}

/** Notes made while a publication runs. */
export interface PublicationNotes {
  readonly sources?: readonly PublicationSource[];
  readonly checks?: readonly PublicationCheck[];
  /** Datasets that it named, and that no rows were made for. */
  readonly leftOut?: readonly string[];
  /** For the operator, in place of the reason why nothing was published. */
  readonly message?: string;
}

/** Dates that a publication has loaded: alerts tell of them, or no longer of earlier loads. */
export interface LoadedDates {
  /** Null: of files that nothing reads. */
  readonly datasetId: string | null;
  /** In order; none: unknown. */
  readonly dates: readonly string[];
  /** By which loads of unknown dates are known again. */
  readonly files: readonly string[];
  /** True if the rows are all of the dataset. */
  readonly areAll: boolean;
  /** True if somebody has to look after it, although it is published. */
  readonly needsCare: boolean;
  /** The file whose rows have been replaced since: it need only come as another one. */
  readonly staleFile?: string;
  /** Files that are as they were published, so that they are stale no more. */
  readonly knownFiles?: readonly string[];
}

/** A load that somebody has to look after, and the datasets of which it has not come since. */
export interface NotedLoad {
  readonly publicationId: number;
  readonly datasetIds: readonly string[];
  /** Files that no recipe fitted. */
  readonly unreadFiles: readonly string[];
}

/** Loads that are told at once in alerts. */
export const NOTED_LOADS_MAX = 100;

/** Parts, rows and bytes of the parts that a publication changed in one dataset. */
export interface PublishedDataset {
  readonly datasetId: string;
  /** Null: not published, or not yet. */
  readonly version: number | null;
  readonly addedPartCount: number;
  readonly replacedPartCount: number;
  readonly removedPartCount: number;
  /** Rows and stored bytes that stood in the changed partitions before and stand there now. */
  readonly rowCountBefore: number;
  readonly rowCountAfter: number;
  readonly byteCountBefore: number;
  readonly byteCountAfter: number;
  /** Digest of all rows of the version; null as the version is. */
  readonly contentDigest: string | null;
  /** The publication that undid it here; null: none has. */
  readonly rolledBackBy: number | null;
}

export interface PublicationRecord extends Omit<NewPublication, 'datasetIds' | 'lifeMark'> {
  readonly publicationId: number;
  readonly state: PublicationState;
  /** True if any process may write into it, until it is committed or abandoned. */
  readonly isOpen: boolean;
  /** UTC, whole seconds, `Z`; null: it runs. */
  readonly finishedAt: string | null;
  /** Why nothing was published, or what was, for the operator. */
  readonly message: string | null;
  readonly datasets: readonly PublishedDataset[];
  readonly sources: readonly PublicationSource[];
  readonly checks: readonly PublicationCheck[];
}

export const PART_CHANGES = ['added', 'replaced', 'removed'] as const;

export interface PartTotals {
  readonly partId: number;
  readonly rowCount: number;
  readonly byteCount: number;
  readonly contentDigest: string;
}

/** A publication's change of one partition. */
export interface PartChange {
  readonly key: string;
  readonly change: (typeof PART_CHANGES)[number];
  /** Null: the partition had no rows. */
  readonly before: PartTotals | null;
  /** Null: it has none now. */
  readonly after: PartTotals | null;
}

/** The publication that changed a partition last, up to some version. */
export interface LastChange {
  readonly key: string;
  readonly version: number;
  readonly kind: PublicationKind;
}

/** The last publication of a dataset, or the one under way. */
export interface PublicationStatus {
  /** `none`: nobody has tried to publish it. */
  readonly state: PublicationState | 'none';
  /** Times are UTC, whole seconds, `Z`. */
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Why nothing was published, for the operator. */
  readonly message: string | null;
  /** True of a load that alerts tell of by itself, until somebody has looked after it. */
  readonly isNoted: boolean;
}

export interface RunningPublication {
  readonly publicationId: number;
  readonly startedAt: string;
  /** As in `NewPublication`. */
  readonly lifeMark: string | null;
}

/** Newest first, but for those `after` one, which are told in the order in which they began. */
export interface PublicationQuery {
  readonly limit: number;
  /** Only those that began after the one with this id, the oldest first. */
  readonly after?: number | undefined;
  /** Only those that began before the one with this id. */
  readonly before?: number | undefined;
  /** Only those that concern one of these. */
  readonly datasetIds?: readonly string[] | undefined;
  readonly states?: readonly PublicationState[] | undefined;
  /** True if only those that are open for any process; absent: all. */
  readonly isOpen?: boolean;
}

/** Publications that ended after one, in the order in which they ended. */
export interface EndedQuery {
  /** Id of a publication; 0: from the first. */
  readonly after: number;
  readonly limit: number;
  /** How many are looked at for it, those included that are left out. */
  readonly examinedMax: number;
  /** True if those are left out, and those of their datasets, that were not published. */
  readonly publishedOnly: boolean;
  /** Only those that concern one of these, and only these of their datasets. */
  readonly datasetIds?: readonly string[] | undefined;
}

/** One that has ended, without what takes long to read. */
export interface EndedPublication
  extends Pick<
    PublicationRecord,
    'publicationId' | 'state' | 'kind' | 'vendor' | 'reason' | 'message'
  > {
  readonly finishedAt: string;
  readonly datasets: readonly Pick<PublishedDataset, 'datasetId' | 'version'>[];
}

export interface EndedPage {
  readonly publications: readonly EndedPublication[];
  /**
   * The last one that was looked at; where there was none, the one after which it was asked for.
   */
  readonly lastId: number;
  /** True if others have ended after that. */
  readonly hasMore: boolean;
}
