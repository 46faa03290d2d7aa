import { useQuery } from '@tanstack/react-query';
import type { AdministeredRule } from '@ticklake/client';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { postJson } from '../api/client';
import { Button } from '../ui/button';
import { type Confirmation, ConfirmChange } from '../ui/confirm-change';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { TwoLines } from '../ui/two-lines';
import { UniverseText } from '../ui/universe-text';
import { AddRuleDialog } from './add-rule-dialog';
import { identityRulesQuery, identityTouches } from './queries';

function deletion(rule: AdministeredRule): Confirmation {
  const name = rule.dataset_name ?? rule.dataset_id;
  return {
    title: 'Delete the rule?',
    description: `The account can no longer read ${name} from ${rule.start_date} to ${rule.end_date ?? 'today'}. You can add another rule later.`,
    confirmLabel: 'Delete',
    isDangerous: true,
    send: () => postJson(`/data-access-rules/${rule.rule_id}/delete`),
    touches: identityTouches(rule.identity_id),
    done: `The rule for ${name} was deleted`,
  };
}

function columnsOf(
  onDelete: (rule: AdministeredRule) => void,
): readonly TableColumn<AdministeredRule>[] {
  return [
    {
      key: 'dataset',
      header: 'Dataset',
      isRowHeader: true,
      isWrapped: true,
      cell: (rule) => (
        <TwoLines
          first={rule.dataset_name ?? 'No longer in the catalogue'}
          second={rule.dataset_id}
        />
      ),
    },
    { key: 'from', header: 'From', cell: (rule) => rule.start_date },
    { key: 'to', header: 'To', cell: (rule) => rule.end_date ?? 'No end date' },
    {
      key: 'universe',
      header: 'Identifiers',
      isWrapped: true,
      cell: (rule) => <UniverseText identifiers={rule.universe_identifiers} />,
    },
    {
      key: 'delete',
      header: 'Actions',
      isPinned: true,
      cell: (rule) => (
        <Button
          kind="quiet"
          aria-label={`Delete the rule for ${rule.dataset_id} from ${rule.start_date}`}
          onClick={() => onDelete(rule)}
        >
          <Trash2 size={16} aria-hidden />
        </Button>
      ),
    },
  ];
}

/** The access rules of an account. */
export function IdentityRules({ identityId }: { identityId: number }) {
  const rules = useQuery(identityRulesQuery(identityId));
  const [isAdding, setIsAdding] = useState(false);
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  return (
    <Card title="Rules">
      <p>Each rule gives the account access to one dataset for a range of trade dates.</p>
      <div>
        <Button kind="primary" onClick={() => setIsAdding(true)}>
          <Plus size={16} aria-hidden />
          Add a rule
        </Button>
      </div>
      <Loaded query={rules} what="rules">
        {(rows) => (
          <Table
            caption="Rules"
            columns={columnsOf((rule) => setConfirmation(deletion(rule)))}
            rows={rows}
            rowKey={(rule) => rule.rule_id}
            empty="No rules yet. This account cannot read any data."
          />
        )}
      </Loaded>
      {isAdding && <AddRuleDialog identityId={identityId} onClose={() => setIsAdding(false)} />}
      <ConfirmChange confirmation={confirmation} onClose={() => setConfirmation(null)} />
    </Card>
  );
}
