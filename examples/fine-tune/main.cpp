// Fine-tunes a compiled network on a folder of images.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Images.h"
#include "network.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <random>

using ampc::network::Model;

// Numbers of the model's text. The bias of the last layer has an element per class.
constexpr int side = 64;
constexpr size_t batch = 32;
constexpr const char *lastBias = "network.fc.bias";

namespace {
struct Options {
  std::string images, weights, out;
  int epochs = 5;
  unsigned seed = 1; ///< of the order of images, and of which are mirrored
};
} // namespace

static bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string name = argv[i], value = argv[i + 1];
    if (name == "--images")
      options.images = value;
    else if (name == "--weights")
      options.weights = value;
    else if (name == "--out")
      options.out = value;
    else if (name == "--epochs")
      options.epochs = std::atoi(value.c_str());
    else if (name == "--seed")
      options.seed = unsigned(std::atoi(value.c_str()));
    else
      return false;
  }
  return argc % 2 == 1 && !options.images.empty() && options.epochs >= 0;
}

/// Whether the network has an output for every class of the folder, and no other.
static bool checkClasses(const Folder &folder, std::string &error) {
  int32_t bias = network_find_tensor(lastBias);
  int64_t outputs = bias < 0 ? 0 : network_tensor(bias)->dims[0];
  if (outputs == int64_t(folder.classes.size()))
    return true;
  error = "expected a folder for each of " + std::to_string(outputs) + " classes, but got " +
          std::to_string(folder.classes.size());
  return false;
}

static void appendMirrored(const uint8_t *image, std::vector<uint8_t> &pixels) {
  for (int y = 0; y < side; ++y)
    for (int x = side; x-- > 0;)
      pixels.insert(pixels.end(), &image[(y * side + x) * 3], &image[(y * side + x) * 3] + 3);
}

/// Trains on every image once, mirrored with probability 1/2. The last batch may be short.
static bool trainEpoch(Model &model, const Images &images, std::mt19937 &random, double &loss) {
  std::vector<size_t> order(images.count());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  loss = 0;
  for (size_t first = 0; first < order.size(); first += batch) {
    std::vector<uint8_t> pixels;
    std::vector<int32_t> labels;
    for (size_t i = first; i < std::min(first + batch, order.size()); ++i) {
      const uint8_t *image = images.image(order[i]);
      if (random() % 2)
        appendMirrored(image, pixels);
      else
        pixels.insert(pixels.end(), image, image + images.bytes());
      labels.push_back(images.labels[order[i]]);
    }
    ampc_train_out report = {};
    if (!model.train_step({pixels, labels}, &report))
      return false;
    loss += report.loss * double(labels.size()) / double(images.count());
  }
  return true;
}

/// The share of images whose class has the highest score.
static bool validate(Model &model, const Images &images, size_t classes, double &accuracy) {
  size_t right = 0;
  std::vector<float> scores(batch * classes);
  for (size_t first = 0; first < images.count(); first += batch) {
    size_t rows = std::min(batch, images.count() - first);
    if (!model.predict({{images.image(first), rows * images.bytes()}},
                       {{scores.data(), rows * classes}}))
      return false;
    for (size_t row = 0; row < rows; ++row) {
      const float *score = &scores[row * classes];
      right += std::max_element(score, score + classes) - score == images.labels[first + row];
    }
  }
  accuracy = double(right) / double(images.count());
  return true;
}

/// Trains and keeps the state that is best on the images for validation.
static bool fineTune(Model &model, const Folder &folder, const Options &options) {
  std::mt19937 random(options.seed);
  double loss, accuracy, best = -1;
  if (!validate(model, folder.validation, folder.classes.size(), accuracy))
    return false;
  std::printf("before training: accuracy %.3f\n", accuracy);
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    if (!trainEpoch(model, folder.training, random, loss) ||
        !validate(model, folder.validation, folder.classes.size(), accuracy))
      return false;
    std::printf("epoch %d: loss %.4f, accuracy %.3f\n", epoch, loss, accuracy);
    std::fflush(stdout);
    if (accuracy > best && !options.out.empty() && !model.save(options.out.c_str()))
      return false;
    best = std::max(best, accuracy);
  }
  if (options.epochs)
    std::printf("best accuracy %.3f\n", best);
  return true;
}

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::cerr << "usage: fine-tune --images FOLDER [--weights FILE.safetensors] [--epochs N]\n"
                 "                 [--out FILE.safetensors] [--seed N]\n";
    return 2;
  }
  Folder folder;
  std::string error;
  Model model;
  bool done = readFolder(options.images, side, folder, error) && checkClasses(folder, error);
  if (done) {
    std::printf("%zu classes, %zu images to learn from, %zu for validation\n",
                folder.classes.size(), folder.training.count(), folder.validation.count());
    done = model.ok() &&
           (options.weights.empty() || model.load(options.weights.c_str(), AMPC_LOAD_WEIGHTS)) &&
           fineTune(model, folder, options);
    error = model.error();
  }
  if (!done)
    std::cerr << "fine-tune: " << error << "\n";
  return done ? 0 : 1;
}
