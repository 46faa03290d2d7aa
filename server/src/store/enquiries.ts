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

  /** The newest first; `limit` as there can be no more. */
  list(limit: number): Promise<Enquiry[]> {
    return this.all('ORDER BY enquiry_id DESC LIMIT $1', limit);
  }

  countAll(): Promise<number> {
    return this.count('true');
  }
}

export class EnquiryTable extends EnquiryReader {
  add(enquiry: Omit<Enquiry, 'enquiryId'>): Promise<number> {
    return this.insert(enquiry);
  }

  delete(enquiryId: number): Promise<void> {
    return this.remove('enquiry_id = $1', enquiryId);
  }

  deleteOf(email: string): Promise<void> {
    return this.remove('email = $1', email);
  }
}
