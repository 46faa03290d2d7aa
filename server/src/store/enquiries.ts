/** Requests for access by people without an account, until they are invited or declined. */
import { RecordReader, Records } from './records.ts';

export interface Enquiry {
  readonly enquiryId: number;
  /** In lower case; whoever asks says it, and nobody has checked it. */
  readonly email: string;
  /** Null: of no dataset in particular. */
  readonly datasetId: string | null;
  /** '' if they did not say. */
  readonly note: string;
  readonly createdAtMs: number;
}

const ENQUIRIES = new Records<Enquiry>({ table: 'enquiry' });

export class EnquiryReader extends RecordReader<Enquiry> {
  protected readonly records = ENQUIRIES;

  /** The newest first. */
  list(limit: number): Promise<Enquiry[]> {
    return this.all('ORDER BY enquiry_id DESC LIMIT $1', limit);
  }
}

export class EnquiryTable extends EnquiryReader {
  /** In place of an earlier one of the address and dataset, and of the oldest beyond `keptMax`. */
  async add(enquiry: Omit<Enquiry, 'enquiryId'>, keptMax: number): Promise<number> {
    const { email, datasetId } = enquiry;
    await this.remove('email = $1 AND dataset_id IS NOT DISTINCT FROM $2', email, datasetId);
    const enquiryId = await this.insert(enquiry);
    await this.remove(
      `enquiry_id <= (
        SELECT enquiry_id FROM enquiry ORDER BY enquiry_id DESC LIMIT 1 OFFSET $1)`,
      keptMax,
    );
    return enquiryId;
  }

  delete(enquiryId: number): Promise<void> {
    return this.remove('enquiry_id = $1', enquiryId);
  }

  /** Removes and returns those of an address. */
  async takeOf(email: string): Promise<Enquiry[]> {
    const taken = await this.all('WHERE email = $1 ORDER BY enquiry_id', email);
    await this.remove('email = $1', email);
    return taken;
  }
}
