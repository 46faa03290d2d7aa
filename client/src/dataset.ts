/** A dataset of the catalogue, and what can be asked about it. */
import { TicklakeError } from './errors.ts';
import { Query, type ReadOptions } from './query.ts';
import { dataPaths, type Parameter } from './request.ts';
import type { Transport } from './transport.ts';
import type {
  DatasetInfo,
  DatasetList,
  DatasetStatus,
  DatasetVersion,
  DatasetVersionPage,
  QueryForm,
} from './types.ts';
import type { Row } from './values.ts';
import { kept } from './waiting.ts';

export interface ChangesOptions extends Pick<ReadOptions, 'where' | 'columns' | 'sort'> {
  /** The earlier version. */
  readonly from: number;
  /** The later version. Default: the current one. */
  readonly to?: number | undefined;
  readonly limit?: number | undefined;
  readonly pageRows?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Ids look so; anything else is a text id. */
const ID = /^US\d+$/;
const VERSIONS_PAGE = 1000;

export class Dataset<R = Row> {
  /** As it was named: an id such as `US1032`, or a text id such as `eq_taq`. */
  readonly name: string;
  readonly #transport: Transport;
  readonly #list: () => Promise<DatasetList>;
  /** How it is asked: path, columns with their types, variants, limits. Asked for once. */
  readonly form = kept(
    async (signal?: AbortSignal): Promise<QueryForm> =>
      this.#meta(await this.#id(), 'query', [], signal),
  );

  /** Made by `Ticklake.dataset`. */
  constructor(name: string, transport: Transport, list: () => Promise<DatasetList>) {
    this.name = name;
    this.#transport = transport;
    this.#list = list;
  }

  /** The rows that a question asks for; nothing is sent before they are read. */
  read(options: ReadOptions = {}): Query<R> {
    return new Query<R>(this.#transport, this, options);
  }

  /** The rows that differ between two versions; `Change` is `removed` or `added`. */
  changes({ from, to, ...rest }: ChangesOptions): Query<R & { readonly Change: string }> {
    return new Query(this.#transport, this, rest, async () => {
      const form = await this.form(rest.signal);
      const [plain] = dataPaths({ ...form, path_parameters: [], variants: [] }, rest) ?? [];
      const versions: Parameter[] = [
        ['from', `${from}`],
        ...(to ? [['to', `${to}`] as const] : []),
      ];
      const path = `meta/datasets/${form.dataset_id}/changes`;
      return { path, parameters: [...(plain?.parameters ?? []), ...versions] };
    });
  }

  async info(): Promise<DatasetInfo> {
    return this.#meta(await this.#id(), 'info');
  }

  async status(): Promise<DatasetStatus> {
    return this.#meta(await this.#id(), 'status');
  }

  /** Versions, newest first. */
  async *versions(): AsyncGenerator<DatasetVersion> {
    const id = await this.#id();
    let before: number | null = null;
    do {
      const from: Parameter[] = before === null ? [] : [['before', `${before}`]];
      const query: Parameter[] = [['limit', `${VERSIONS_PAGE}`], ...from];
      const page: DatasetVersionPage = await this.#meta(id, 'versions', query);
      yield* page.data;
      before = page.pagination.next_before;
    } while (before !== null);
  }

  async #id(): Promise<string> {
    if (ID.test(this.name)) return this.name;
    const found = (await this.#list()).find(({ dataset_text_id: id }) => id === this.name);
    if (found) return found.dataset_id;
    throw new TicklakeError(`The catalogue has no dataset '${this.name}'`);
  }

  #meta<T>(id: string, what: string, query: Parameter[] = [], signal?: AbortSignal): Promise<T> {
    const path = `meta/datasets/${encodeURIComponent(id)}/${what}`;
    return this.#transport.json<T>(path, query, { signal, about: { dataset: this.name } });
  }
}
