/** Public samples, each read once for each state of its rows. */

interface KeptSample<Sample> {
  readonly tag: string;
  readonly sample: Promise<Sample>;
}

export class KeptSamples<Sample> {
  /** By dataset: the owner names which have one. */
  readonly #kept = new Map<string, KeptSample<Sample>>();

  /** The sample of a tag. All who ask at the same time wait for one `read`; one that fails is not kept. */
  async get(datasetId: string, tag: string, read: () => Promise<Sample>): Promise<Sample> {
    const known = this.#kept.get(datasetId);
    if (known?.tag === tag) return await known.sample;
    const made = { tag, sample: read() };
    this.#kept.set(datasetId, made);
    try {
      return await made.sample;
    } catch (error) {
      if (this.#kept.get(datasetId) === made) this.#kept.delete(datasetId);
      throw error;
    }
  }
}
