"""The campaigns by name: one file each, and a line here."""

from __future__ import annotations

from campaigns.campaign import Campaign

CAMPAIGNS: dict[str, Campaign] = {}
