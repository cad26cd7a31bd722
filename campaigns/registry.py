"""The campaigns by name: one file each, and a line here."""

from __future__ import annotations

from campaigns import (
    bit_flips,
    forged_cells,
    forged_data_files,
    forged_model_files,
    forged_pattern_files,
    full_disks,
    hostile_servers,
    kills_of_saves,
    kills_of_sweeps,
    poisons,
    processors,
    updates,
)
from campaigns.campaign import Campaign

CAMPAIGNS: dict[str, Campaign] = {
    "bit_flips": bit_flips.CAMPAIGN,
    "forged_cells": forged_cells.CAMPAIGN,
    "forged_data_files": forged_data_files.CAMPAIGN,
    "forged_model_files": forged_model_files.CAMPAIGN,
    "forged_pattern_files": forged_pattern_files.CAMPAIGN,
    "full_disks": full_disks.CAMPAIGN,
    "hostile_servers": hostile_servers.CAMPAIGN,
    "kills_of_saves": kills_of_saves.CAMPAIGN,
    "kills_of_sweeps": kills_of_sweeps.CAMPAIGN,
    "poisons": poisons.CAMPAIGN,
    "processors": processors.CAMPAIGN,
    "updates": updates.CAMPAIGN,
}
