import { useNavigate } from '@tanstack/react-router';
import type { Plan } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import { NEW_PLAN, type PlanFields, planBody, planProblems } from './plan-fields';
import { PlanFormFields } from './plan-form-fields';
import { PLAN_TOUCHES } from './queries';

/** Asks for a new plan and goes to its screen. */
export function CreatePlanDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const toasts = useToasts();
  const create = useChange({
    send: (fields: PlanFields) => postJson<Plan>('/plans', planBody(fields, null)),
    touches: PLAN_TOUCHES,
    onDone: ({ plan_id, name }) => {
      toasts.add({ title: `${name} was created` });
      void navigate({ to: '/plans/$planId', params: { planId: String(plan_id) } });
    },
  });
  const form = useForm({
    initial: NEW_PLAN,
    problemsOf: planProblems,
    change: create,
    draft: 'new-plan',
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="New plan"
      isWide
      description="A new plan gives no access to data. Add its rules and accounts on its page."
    >
      <Form form={form} submitLabel="Create" isBusy={create.isPending} onCancel={onClose}>
        <PlanFormFields form={form} />
      </Form>
    </Dialog>
  );
}
