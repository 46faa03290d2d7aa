import type { UseQueryResult } from '@tanstack/react-query';
import type { AdministeredRule } from '@ticklake/client';
import { Copy, Plus } from 'lucide-react';
import { useState } from 'react';
import { postJson } from '../api/client';
import { ruleDatesText } from '../format/coverage';
import { Button } from '../ui/button';
import { type Confirmation, ConfirmChange } from '../ui/confirm-change';
import { hasDraft } from '../ui/drafts';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { Table } from '../ui/table';
import { AddRulesDialog } from './add-rules-dialog';
import { CopyRulesDialog } from './copy-rules-dialog';
import { EditRuleDialog } from './edit-rule-dialog';
import { ruleColumns } from './rule-columns';
import type { RuleHolder } from './rule-holder';
import styles from './rules-card.module.css';

const WHO = { account: 'The account', plan: 'Every account with this plan' };

function deletion(rule: AdministeredRule, { noun, touches }: RuleHolder): Confirmation {
  const name = rule.dataset_name ?? rule.dataset_id;
  return {
    title: 'Delete the rule?',
    description: `${WHO[noun]} loses the access that this rule gives to ${name}: ${ruleDatesText(rule.start_date, rule.end_date)}. You can add another rule later.`,
    confirmLabel: 'Delete',
    isDangerous: true,
    send: () => postJson(`/data-access-rules/${rule.rule_id}/delete`),
    touches,
    done: `The rule for ${name} was deleted`,
  };
}

type Open = 'add' | 'copy' | AdministeredRule | null;

interface RulesCardProps {
  holder: RuleHolder;
  rules: UseQueryResult<readonly AdministeredRule[]>;
}

/** The access rules of an account or a plan, and all that an owner can do with them. */
export function RulesCard({ holder, rules }: RulesCardProps) {
  const [open, setOpen] = useState<Open>(() => (hasDraft(holder.addPath) ? 'add' : null));
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const dialog = { holder, onClose: () => setOpen(null) };
  const columns = ruleColumns(holder, {
    onEdit: setOpen,
    onDelete: (rule) => setConfirmation(deletion(rule, holder)),
  });
  return (
    <Card title="Rules">
      <p>Each rule gives access to one dataset for a range of trade dates.</p>
      <div className={styles.acts}>
        <Button kind="primary" onClick={() => setOpen('add')}>
          <Plus size={16} aria-hidden />
          Add rules
        </Button>
        <Button onClick={() => setOpen('copy')}>
          <Copy size={16} aria-hidden />
          Copy rules…
        </Button>
      </div>
      <Loaded query={rules} what="rules">
        {(rows) => (
          <Table
            caption="Rules"
            columns={columns}
            rows={rows}
            rowKey={(rule) => rule.rule_id}
            empty={
              holder.noun === 'account'
                ? 'No rules yet. This account can’t read any data yet.'
                : 'No rules yet. This plan gives no access to data.'
            }
          />
        )}
      </Loaded>
      {open === 'add' && <AddRulesDialog {...dialog} />}
      {open === 'copy' && <CopyRulesDialog {...dialog} />}
      {typeof open === 'object' && open !== null && <EditRuleDialog rule={open} {...dialog} />}
      <ConfirmChange confirmation={confirmation} onClose={() => setConfirmation(null)} />
    </Card>
  );
}
