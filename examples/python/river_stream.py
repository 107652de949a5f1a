"""Sluice in river: a pipeline, progressive validation, and features that come and go.

    python river_stream.py
"""

from __future__ import annotations

from river import compose, evaluate, linear_model, metrics, preprocessing

import sluice.river
from sluice import datasets


def main() -> None:
    rows = list(datasets.make_selection(inputs=40, drivers=3, change_at=500, rows=1000, seed=1).rows())
    models = {
        "sluice": sluice.river.StreamRegressor(),
        "sluice, few inputs only": compose.SelectType(float) | sluice.river.StreamRegressor(names=3),
        "river's linear regression": preprocessing.StandardScaler() | linear_model.LinearRegression(),
    }
    for name, model in models.items():
        score = evaluate.progressive_val_score(rows, model, metrics.R2())
        print(f"{name:26} {score}")

    model = sluice.river.StreamRegressor()
    for row, (x, y) in enumerate(rows):
        seen = {name: value for name, value in x.items() if row >= 300 or name not in ("x1", "x2")}
        model.learn_one(seen, y)
    print(f"{len(model.feature_names)} features met, selected {model.selected_names}")


if __name__ == "__main__":
    main()
