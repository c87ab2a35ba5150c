# Networks of torchvision at small sizes, without pretrained weights and without random layers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CASES: a function per network, which returns the module and its images."""
from functools import partial

import torch
from torch import nn
from torchvision import models
from torchvision.models import densenet, efficientnet, maxvit, regnet, resnet, segmentation, swin_transformer, video

CLASSES = 10


def images(rows, size):
    return torch.randn(rows, 3, size, size)


def of_resnet(block, layers, **options):
    return resnet.ResNet(block, layers, num_classes=CLASSES, **options), images(4, 64)


def resnet18():
    return models.resnet18(num_classes=CLASSES), images(4, 64)


def resnet50():
    """Bottlenecks, one of each width."""
    return of_resnet(resnet.Bottleneck, [1, 1, 1, 1])


def resnext50():
    return of_resnet(resnet.Bottleneck, [1, 1, 1, 1], groups=4, width_per_group=16)


def wide_resnet50():
    return of_resnet(resnet.Bottleneck, [1, 1, 1, 1], width_per_group=128)


def mobilenet_v2():
    return models.mobilenet_v2(num_classes=CLASSES, width_mult=0.25, dropout=0.0), images(4, 64)


def mobilenet_v3_small():
    return models.mobilenet_v3_small(num_classes=CLASSES, dropout=0.0), images(4, 64)


def mobilenet_v3_large():
    return models.mobilenet_v3_large(num_classes=CLASSES, dropout=0.0, width_mult=0.25), images(4, 64)


def efficientnet_b0():
    block = partial(efficientnet.MBConvConfig, width_mult=0.5, depth_mult=0.5)
    blocks = [block(1, 3, 1, 32, 16, 1), block(6, 3, 2, 16, 24, 2), block(6, 5, 2, 24, 40, 2), block(6, 3, 2, 40, 80, 2)]
    return efficientnet.EfficientNet(blocks, dropout=0.0, stochastic_depth_prob=0.0, num_classes=CLASSES), images(4, 64)


def efficientnet_v2():
    blocks = [efficientnet.FusedMBConvConfig(1, 3, 1, 8, 8, 1), efficientnet.FusedMBConvConfig(4, 3, 2, 8, 16, 2),
              efficientnet.MBConvConfig(4, 3, 2, 16, 24, 2)]
    norm = partial(nn.BatchNorm2d, eps=1e-3)
    return efficientnet.EfficientNet(blocks, dropout=0.0, stochastic_depth_prob=0.0, num_classes=CLASSES, norm_layer=norm,
                                     last_channel=64), images(4, 32)


def densenet121():
    return densenet.DenseNet(growth_rate=8, block_config=(2, 3, 2, 2), num_init_features=16, num_classes=CLASSES), images(4, 64)


def googlenet():
    module = models.GoogLeNet(num_classes=CLASSES, aux_logits=False, init_weights=False, dropout=0.0)
    return module, images(4, 64)


def inception_v3():
    module = models.Inception3(num_classes=CLASSES, aux_logits=False, init_weights=False, dropout=0.0)
    return module, images(4, 107)


def squeezenet1_1():
    return models.squeezenet1_1(num_classes=CLASSES, dropout=0.0), images(4, 64)


def shufflenet_v2():
    return models.shufflenet_v2_x0_5(num_classes=CLASSES), images(4, 64)


def mnasnet0_5():
    return models.mnasnet0_5(num_classes=CLASSES, dropout=0.0), images(4, 64)


def alexnet():
    module = models.alexnet(num_classes=CLASSES, dropout=0.0)
    module.classifier = nn.Sequential(nn.Linear(256 * 6 * 6, 32), nn.ReLU(inplace=True), nn.Linear(32, CLASSES))
    return module, images(2, 96)


def vgg11_bn():
    layers = models.vgg.make_layers([8, "M", 16, "M", 24, 24, "M", 32, 32, "M", 32, 32], batch_norm=True)
    module = models.VGG(layers, num_classes=CLASSES, init_weights=False)
    module.classifier = nn.Sequential(nn.Linear(32 * 7 * 7, 32), nn.ReLU(True), nn.Linear(32, CLASSES))
    return module, images(4, 48)


def regnet_y():
    widths = regnet.BlockParams.from_init_params(depth=5, w_0=16, w_a=12.0, w_m=2.0, group_width=8, se_ratio=0.25)
    return regnet.RegNet(widths, num_classes=CLASSES, stem_width=8), images(4, 64)


def convnext_tiny():
    block = models.convnext.CNBlockConfig
    blocks = [block(16, 32, 2), block(32, 48, 2), block(48, None, 1)]
    return models.ConvNeXt(blocks, stochastic_depth_prob=0.0, layer_scale=0.1, num_classes=CLASSES), images(2, 64)


def vit():
    return models.VisionTransformer(image_size=32, patch_size=8, num_layers=3, num_heads=4, hidden_dim=32, mlp_dim=64,
                                    num_classes=CLASSES), images(4, 32)


def of_swin(**options):
    module = models.SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4], stochastic_depth_prob=0.0, num_classes=CLASSES, **options)
    return module, images(2, 64)


def swin():
    return of_swin()


def swin_v2():
    return of_swin(block=swin_transformer.SwinTransformerBlockV2, downsample_layer=swin_transformer.PatchMergingV2)


def maxvit_t():
    return maxvit.MaxVit(input_size=(64, 64), stem_channels=8, partition_size=4, block_channels=[16, 24], block_layers=[1, 2], head_dim=8,
                         stochastic_depth_prob=0.0, num_classes=CLASSES), images(2, 64)


def fcn():
    backbone = segmentation.fcn.IntermediateLayerGetter(small_body(), {"layer4": "out"})
    head = segmentation.fcn.FCNHead(512, CLASSES)
    head[3].p = 0.0
    return Pixels(segmentation.FCN(backbone, head)), images(2, 64)


def deeplab_v3():
    backbone = segmentation.fcn.IntermediateLayerGetter(small_body(), {"layer4": "out"})
    head = segmentation.deeplabv3.DeepLabHead(512, CLASSES, atrous_rates=(2, 4))
    head[0].project[3].p = 0.0
    return Pixels(segmentation.DeepLabV3(backbone, head)), images(2, 96)


def small_body():
    return resnet.ResNet(resnet.BasicBlock, [1, 1, 1, 1])


class Pixels(nn.Module):
    """What a segmentation network says of whole images, on the average."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, image):
        return self.network(image)["out"].mean((2, 3))


def r3d_18():
    return video.r3d_18(num_classes=CLASSES), torch.randn(2, 3, 4, 32, 32)


CASES = (resnet18, resnet50, resnext50, wide_resnet50, mobilenet_v2, mobilenet_v3_small, mobilenet_v3_large, efficientnet_b0, efficientnet_v2,
         densenet121, googlenet, inception_v3, squeezenet1_1, shufflenet_v2, mnasnet0_5, alexnet, vgg11_bn, regnet_y, convnext_tiny, vit, swin,
         swin_v2, maxvit_t, fcn, deeplab_v3, r3d_18)
