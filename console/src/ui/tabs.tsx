import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import styles from './tabs.module.css';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly content: () => ReactNode;
}

interface TabsProps<Name extends string> {
  label: string;
  tabs: readonly Tab<Name>[];
  open: Name;
  onOpenChange: (name: Name) => void;
  /** Stands beside the tabs, for all of them. */
  aside?: ReactNode;
  /** Stands between the tabs and what is open. */
  below?: ReactNode;
}

export function Tabs<Name extends string>(props: TabsProps<Name>) {
  const { label, tabs, open, onOpenChange, aside, below } = props;
  return (
    <BaseTabs.Root value={open} onValueChange={(name) => onOpenChange(name as Name)}>
      <div className={styles.head}>
        <BaseTabs.List aria-label={label} className={styles.list}>
          {tabs.map((tab) => (
            <BaseTabs.Tab key={tab.name} value={tab.name} className={styles.tab}>
              {tab.label}
            </BaseTabs.Tab>
          ))}
        </BaseTabs.List>
        {aside}
      </div>
      {below}
      {tabs.map((tab) => (
        <BaseTabs.Panel key={tab.name} value={tab.name} className={styles.panel}>
          {tab.name === open && tab.content()}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
