"""Bars for backtest engines, each labelled as its engine takes them, so that none is known before its end."""
