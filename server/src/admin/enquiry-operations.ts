/** Operations on enquiries of people without an account; an invitation is the other answer. */
import { DECLINED_ENQUIRY, ENQUIRY_LIST } from './answers.ts';
import { optional, required } from './field.ts';
import { DATASET, EMAIL, ID, REASON } from './field-kinds.ts';
import { found, type Operation, operation } from './operation.ts';
import { recordsOf } from './records.ts';
import { enquiryView } from './views.ts';

/** That wait for an answer, more than anybody reads; then the oldest make room. */
export const ENQUIRIES_MAX = 500;

/** Fields of what anybody may send. */
export const ENQUIRY_FIELDS = {
  email: required(EMAIL, 'Your e-mail address, for the answer'),
  dataset_id: optional(DATASET, 'Id or text id of the dataset that you need'),
  note: optional(REASON, 'What you need it for'),
};

export const ENQUIRIES = recordsOf(
  ['enquiry', 'enquiry'],
  ({ enquiries }, id) => enquiries.find(id),
  (enquiry, { catalog }) => enquiryView(enquiry, catalog),
);

/**
 * An operation that gives the person of an e-mail address an account, as the answer to enquiries
 * from there. Those are to the owners: a manager's invitation leaves them.
 */
export function answeringEnquiries({ run, ...operation }: Operation): Operation {
  return {
    ...operation,
    run: async (context, values) => {
      const { answer, change } = await run(context, values);
      const answered = await context.store.enquiries.takeOf(String(values.email));
      if (change === null || answered.length === 0) return { answer, change };
      const answered_enquiries = answered.map((each) => enquiryView(each, context.catalog));
      return { answer, change: { ...change, after: { ...change.after, answered_enquiries } } };
    },
  };
}

const listEnquiries = operation({
  name: 'listEnquiries',
  summary: 'list who has asked for access on the landing page and has no answer, the newest first',
  endpoint: 'GET /enquiries',
  command: 'enquiry list',
  fields: {},
  answer: ENQUIRY_LIST,
  run: async ({ store, catalog }) =>
    found((await store.enquiries.list(ENQUIRIES_MAX)).map((each) => enquiryView(each, catalog))),
});

const declineEnquiry = operation({
  name: 'declineEnquiry',
  summary: 'remove an enquiry without an invitation; inviting its e-mail address removes it, too',
  endpoint: 'POST /enquiries/:enquiry_id/decline',
  command: 'enquiry decline',
  fields: { enquiry_id: required(ID, 'Id of the enquiry', '--enquiry ID') },
  answer: DECLINED_ENQUIRY,
  run: async (context, { enquiry_id }) =>
    ENQUIRIES.deleted(context, { enquiry_id }, () => context.store.enquiries.delete(enquiry_id)),
});

export const ENQUIRY_OPERATIONS: readonly Operation[] = [listEnquiries, declineEnquiry];
