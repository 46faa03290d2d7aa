import { Link } from '@tanstack/react-router';
import { usePlanNames } from './use-plan-names';

/** Leads to a plan by its name. */
export function PlanLink({ planId }: { planId: number }) {
  const nameOf = usePlanNames();
  return (
    <Link to="/plans/$planId" params={{ planId: String(planId) }}>
      {nameOf(planId)}
    </Link>
  );
}
