import { useQuery } from '@tanstack/react-query';
import type { QuotaLimits } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { Form } from '../ui/form';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import { type LimitFields, limitFields, limitProblems, limitsBody } from './limit-fields';
import { LimitsFields } from './limits-fields';
import { identityLimitsQuery, identityTouches } from './queries';

function LimitsForm({ limits }: { limits: QuotaLimits }) {
  const { identity_id: id, own_quotas_limit: kept, plan_quotas_limit: plan } = limits;
  const toasts = useToasts();
  const change = useChange({
    send: (fields: LimitFields) =>
      postJson<QuotaLimits>(`/identities/${id}/quotas`, limitsBody(fields, kept)),
    touches: identityTouches(id),
    onDone: (after) => {
      toasts.add({ title: 'The limits were saved' });
      form.reset(limitFields(after.own_quotas_limit));
    },
  });
  const form = useForm({ initial: limitFields(kept), problemsOf: limitProblems, change });
  const isUnchanged =
    Object.keys(limitsBody(form.values, kept)).length === 0 &&
    Object.values(limitProblems(form.values)).every((problem) => problem === '');
  return (
    <Form form={form} submitLabel="Save" isBusy={change.isPending} isUnchanged={isUnchanged}>
      {plan && <p>A limit set here overrides the plan's.</p>}
      <LimitsFields values={form.values} errors={form.errors} set={form.set} plan={plan} />
    </Form>
  );
}

export const BYTES_HINT =
  'Enter bytes with a unit: bytes, kB, MB, GB, TB or PB (1 kB = 1,000 bytes).';

/** Changes the six limits that an account has of its own. */
export function IdentityLimitsCard({ identityId }: { identityId: number }) {
  const limits = useQuery(identityLimitsQuery(identityId));
  return (
    <Card title="Limits">
      <p>{BYTES_HINT}</p>
      <Loaded query={limits} what="limits">
        {(loaded) => <LimitsForm limits={loaded} />}
      </Loaded>
    </Card>
  );
}
