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
}

export function Tabs<Name extends string>({ label, tabs, open, onOpenChange }: TabsProps<Name>) {
  return (
    <BaseTabs.Root value={open} onValueChange={(name) => onOpenChange(name as Name)}>
      <BaseTabs.List aria-label={label} className={styles.list}>
        {tabs.map((tab) => (
          <BaseTabs.Tab key={tab.name} value={tab.name} className={styles.tab}>
            {tab.label}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map((tab) => (
        <BaseTabs.Panel key={tab.name} value={tab.name} className={styles.panel}>
          {tab.name === open && tab.content()}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
