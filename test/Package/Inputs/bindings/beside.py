"""Further results of beside.mlir than the loss, in Python."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import Sum

x, y = [[1.0], [2.0], [-3.0], [0.5]], [[2.0], [-1.0], [0.25], [4.0]]
model = Sum.Model(want_split=True)
for rows in 4, 2:
    weight = model["w"].item()
    fit = sum((weight * a[0] - b[0])**2 for a, b in zip(x[:rows], y)) / rows
    for call in (model.grad, model.train_step):
        report = call(x[:rows], y[:rows])
        assert list(report.named) == ["report", "Report", "class", "a term", "train_step_numbers"], report.named
        for name, wanted in ("report", fit), ("Report", weight**2), ("class", fit + weight**2), ("a term", fit), ("train_step_numbers", weight**2):
            assert abs(report.named[name] - wanted) < 1e-6 * wanted, (rows, name, report.named, wanted)
print(f"{report.named['report']:.4f} {report.named['Report']:.4f} {report.named['class']:.4f}")
print(model.apply().named)
